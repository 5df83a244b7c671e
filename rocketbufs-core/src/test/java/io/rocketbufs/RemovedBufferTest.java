package io.rocketbufs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that a removed buffer does not affect other buffers. */
@Timeout(600)
final class RemovedBufferTest {
    /** A number greater than that of any round, which ends the thread that looks up buffers. */
    private static final int OVER = Integer.MAX_VALUE;

    private final TwoProcesses processes = new TwoProcesses();
    private final ROut out = processes.out;

    @AfterEach
    void close() {
        processes.close();
    }

    @Test
    void shouldKeepTheMemoryOfAnOpenSegment() {
        out.createBuffer(1, 1000);
        Segment open = out.getOutputSegment(1, 1000, false);
        out.removeBuffer(1);
        out.createBuffer(2, 1000);
        Segment other = out.getOutputSegment(2, 1000, false);
        other.putLong(0, 1);
        open.putLong(0, 2);
        assertThat(other.getLong(0)).isEqualTo(1);
    }

    @Test
    void shouldFreeTheMemoryWhenItsLastOpenSegmentIsCancelled() {
        out.createBuffer(1, 1000);
        Segment first = out.getOutputSegment(1, 100, false);
        Segment second = out.getOutputSegment(1, 100, false);
        out.removeBuffer(1);
        long before = processes.sending.memoryInUse();
        assertThat(out.deliver(first, 100)).isNotNegative();
        assertThat(processes.sending.memoryInUse()).isEqualTo(before);
        assertThat(out.deliver(second, 0)).isEqualTo(-1);
        assertThat(processes.sending.memoryInUse()).isZero();
    }

    @Test
    void shouldDistinguishSegmentsOfARemovedBufferFromThoseOfItsSuccessor() {
        out.createBuffer(1, 1000);
        Segment old = out.getOutputSegment(1, 100, false);
        out.removeBuffer(1);
        out.createBuffer(1, 1000);
        Segment present = out.getOutputSegment(1, 200, false);
        out.deliver(old, 100);
        assertThat(out.deliver(present, 200)).isNotNegative();
    }

    @Test
    void shouldBeForgottenWhileAnotherThreadLooksItUp() {
        int rounds = 20_000;
        // Each round needs two thread switches, so a busy machine may complete fewer rounds.
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        Random random = new Random(1);
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger looked = new AtomicInteger();
        out.createBuffer(1, 100);
        out.createBuffer(2, 100);
        CompletableFuture<Void> looking = CompletableFuture.runAsync(() -> {
            for (int i = 1; awaitValue(begun, i) != OVER; i++) {
                lookUp();
                looked.set(i);
            }
        });
        for (int i = 1; i <= rounds && System.nanoTime() - endNs < 0; i++) {
            // The buffer used last is cached, so use a different one.
            out.discard(2, 0);
            int spins = random.nextInt(100);
            begun.set(i);
            for (int j = 0; j < spins; j++) {
                Thread.onSpinWait();
            }
            out.removeBuffer(1);
            awaitValue(looked, i);
            out.createBuffer(1, 100);
            Segment segment = out.getOutputSegment(1, 10, false);
            if (segment.vecCount() < 0) {
                begun.set(OVER);
            }
            assertThat(segment.vecCount()).as("%s in round %s", segment, i).isPositive();
            out.deliver(segment, 0);
        }
        begun.set(OVER);
        looking.join();
    }

    private void lookUp() {
        try {
            out.discard(1, 0);
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageContaining("does not exist");
        }
    }

    private static int awaitValue(AtomicInteger of, int least) {
        for (int spins = 0; of.get() < least; spins++) {
            if (spins < 1000) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
        return of.get();
    }
}
