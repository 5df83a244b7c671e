package io.rocketbufs.rocketnet.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.PostResult;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that puts arrive in random pieces and in random order, within what the transport guarantees. */
@Timeout(600)
class LoopbackPutsTest {
    private static final LoopbackOptions OPTIONS = LoopbackOptions.oneSided().seed(1);
    private static final int ROUNDS = 20;
    private static final int LENGTH = 100;
    private static final byte[] EMPTY = new byte[4 * LENGTH];

    /**
     * Returns the number of rounds for which the condition is true. Each round begins with an empty sink, and with a
     * client whose data is on hold.
     */
    private static int count(LoopbackOptions options, Predicate<LoopbackPair> condition) {
        int count = 0;
        try (LoopbackPair pair = new LoopbackPair(options)) {
            for (int round = 0; round < ROUNDS; round++) {
                pair.server.sinkBytes.put(0, EMPTY);
                pair.link.toServer().hold();
                count += condition.test(pair) ? 1 : 0;
            }
        }
        return count;
    }

    private static void arrive(LoopbackPair pair, long bytes) {
        pair.link.toServer().allow(bytes);
        pair.awaitQuiet();
    }

    private static void arriveAll(LoopbackPair pair) {
        pair.link.toServer().resume();
        pair.awaitQuiet();
    }

    private static void put(LoopbackPair pair, int number) {
        assertThat(pair.client.put(number * LENGTH, LENGTH)).isEqualTo(PostResult.POSTED);
    }

    /** Returns the number of bytes of a put that have arrived. */
    private static int arrived(LoopbackPair pair, int number) {
        int count = 0;
        for (int offset = number * LENGTH; offset < (number + 1) * LENGTH; offset++) {
            count += pair.server.sinkBytes.get(offset) == 0 ? 0 : 1;
        }
        return count;
    }

    @Test
    void shouldDeliverTheBytesOfAPutInAnyOrder() {
        int count = count(OPTIONS.orderedPut(LENGTH), pair -> {
            put(pair, 0);
            arrive(pair, LENGTH / 2);
            assertThat(arrived(pair, 0)).isEqualTo(LENGTH / 2);
            boolean isInOrder = pair.server.received() == LENGTH / 2;
            arriveAll(pair);
            assertThat(pair.server.received()).isEqualTo(LENGTH);
            return isInOrder;
        });
        assertThat(count).isBetween(1, ROUNDS - 1);
    }

    @Test
    void shouldDeliverPartsOfLaterPutsBeforeEarlierPuts() {
        int count = count(OPTIONS, pair -> {
            int completions = pair.client.completions();
            put(pair, 0);
            put(pair, 1);
            arrive(pair, LENGTH);
            boolean isInOrder = arrived(pair, 0) == LENGTH;
            arriveAll(pair);
            assertThat(pair.server.received()).isEqualTo(2 * LENGTH);
            assertThat(pair.client.completions()).isEqualTo(completions + 2);
            return isInOrder;
        });
        assertThat(count).isBetween(1, ROUNDS - 1);
    }

    @Test
    void shouldCompleteAPutWithItsLastPiece() {
        count(OPTIONS, pair -> {
            int completions = pair.client.completions();
            put(pair, 0);
            arrive(pair, LENGTH - 1);
            assertThat(pair.client.completions()).isEqualTo(completions);
            arriveAll(pair);
            assertThat(pair.client.completions()).isEqualTo(completions + 1);
            return true;
        });
    }

    @Test
    void shouldDeliverAllPutsBeforeALaterWriteOrControlMessage() {
        count(OPTIONS, pair -> {
            int arrivals = pair.server.arrivals().size();
            put(pair, 0);
            put(pair, 1);
            pair.client.write(7, 2 * LENGTH, LENGTH);
            put(pair, 3);
            pair.client.send("x");
            arrive(pair, 2 * LENGTH);
            assertThat(pair.server.received()).isEqualTo(2 * LENGTH);
            arrive(pair, LENGTH);
            assertThat(pair.server.arrivals()).hasSize(arrivals + 1).endsWith("arrived 7 100");
            assertThat(arrived(pair, 3)).isZero();
            arrive(pair, LENGTH);
            assertThat(pair.server.received()).isEqualTo(4 * LENGTH);
            assertThat(pair.server.arrivals()).hasSize(arrivals + 1);
            arriveAll(pair);
            assertThat(pair.server.arrivals()).hasSize(arrivals + 2).endsWith("control x");
            return true;
        });
    }

    @Test
    void shouldDeliverPutsUpToTheOrderedLengthBeforeLaterPutsAndWords() {
        count(OPTIONS.orderedPut(LENGTH), pair -> {
            LentWord word = pair.server.connection().lendWord();
            put(pair, 0);
            put(pair, 1);
            pair.client.writeWord(word.access(), 5);
            arrive(pair, LENGTH);
            assertThat(arrived(pair, 0)).isEqualTo(LENGTH);
            arrive(pair, LENGTH);
            assertThat(arrived(pair, 1)).isEqualTo(LENGTH);
            assertThat(word.value()).isZero();
            arriveAll(pair);
            assertThat(word.value()).isEqualTo(5);
            pair.server.onWorker(word::takeBack);
            return true;
        });
    }

    @Test
    void shouldDeliverAWordBeforePartsOfALongerPut() {
        int count = count(OPTIONS.orderedPut(LENGTH - 1), pair -> {
            LentWord word = pair.server.connection().lendWord();
            put(pair, 0);
            pair.client.writeWord(word.access(), 5);
            arrive(pair, LENGTH);
            boolean isInOrder = arrived(pair, 0) == LENGTH;
            arriveAll(pair);
            assertThat(word.value()).isEqualTo(5);
            assertThat(pair.server.received()).isEqualTo(LENGTH);
            pair.server.onWorker(word::takeBack);
            return isInOrder;
        });
        assertThat(count).isBetween(1, ROUNDS - 1);
    }
}
