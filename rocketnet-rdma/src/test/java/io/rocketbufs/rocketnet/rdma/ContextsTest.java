package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that compare reconstructed numbers with the original full numbers. */
final class ContextsTest {
    private static final int ROUNDS = 200_000;
    private static final int MOST_OUTSTANDING = 1 << 14;

    private record Posted(long context, long operation, long writes) {}

    @Test
    void shouldReconstructFullNumbersWhereverTheyWrap() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        long operation = random.nextLong(1L << 40);
        long writes = random.nextLong(operation + 1);
        long operationsSeen = operation;
        long writesSeen = writes;
        ArrayDeque<Posted> outstanding = new ArrayDeque<>();
        for (int i = 0; i < ROUNDS; i++) {
            if (outstanding.size() < MOST_OUTSTANDING && random.nextInt(10) < 6) {
                // The skipped operations do not report their completion, so the numbers have gaps.
                operation += 1 + random.nextInt(1 << 7);
                writes += random.nextInt(1 << 7);
                outstanding.add(new Posted(Contexts.send(7, operation, writes), operation, writes));
            } else if (!outstanding.isEmpty()) {
                Posted completed = outstanding.remove();
                operationsSeen = Contexts.operation(completed.context, operationsSeen);
                writesSeen = Contexts.writes(completed.context, writesSeen);
                assertThat(operationsSeen).isEqualTo(completed.operation);
                assertThat(writesSeen).isEqualTo(completed.writes);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {(1 << 23) - 1, 1 << 23, (1 << 24) - 1, 1 << 24, (1L << 32) - 1, 1L << 32, 1L << 47, 1L << 48})
    void shouldContinueAfterTheLastNumberBeforeAWrap(long number) {
        for (long step : new long[] {0, 1, 2, 1 << 14}) {
            long context = Contexts.send(1, number + step, number + step);
            assertThat(Contexts.operation(context, number)).isEqualTo(number + step);
            assertThat(Contexts.writes(context, number)).isEqualTo(number + step);
            assertThat(Contexts.connection(context)).isEqualTo(1);
            assertThat(Contexts.isSend(context)).isTrue();
        }
    }

    @Test
    void shouldDistinguishConnectionsAndReceives() {
        for (int connection : new int[] {1, 2, 0x7fff, 0x8000, Contexts.MAX_CONNECTION}) {
            for (int slot : new int[] {0, 1, (1 << 14) - 1}) {
                long context = Contexts.receive(connection, slot);
                assertThat(Contexts.connection(context)).isEqualTo(connection);
                assertThat(Contexts.slot(context)).isEqualTo(slot);
                assertThat(Contexts.isSend(context)).isFalse();
                assertThat(context).isNotZero();
            }
            assertThat(Contexts.connection(Contexts.send(connection, -1, -1))).isEqualTo(connection);
        }
    }

    @Test
    void shouldDistinguishFetches() {
        for (int connection : new int[] {1, 0x8000, Contexts.MAX_CONNECTION}) {
            long fetch = Contexts.fetch(connection, 63);
            assertThat(Contexts.isFetch(fetch)).isTrue();
            assertThat(Contexts.isSend(fetch)).isTrue();
            assertThat(Contexts.connection(fetch)).isEqualTo(connection);
            assertThat(Contexts.slot(fetch)).isEqualTo(63);
            assertThat(Contexts.isFetch(Contexts.send(connection, -1, -1))).isFalse();
            assertThat(Contexts.isFetch(Contexts.receive(connection, 63))).isFalse();
        }
    }

    /** An overtaken completion has a lower number than the previous completion. */
    @ParameterizedTest
    @ValueSource(longs = {1 << 14, 1 << 22, 1 << 24, (1L << 32) + 3})
    void shouldContinueBeforeAWrapWhenAnOperationWasOvertaken(long number) {
        for (long step : new long[] {1, 2, 1 << 14}) {
            long context = Contexts.send(1, number - step, number - step);
            assertThat(Contexts.operation(context, number)).isEqualTo(number - step);
            assertThat(Contexts.writes(context, number)).isEqualTo(number - step);
        }
    }
}
