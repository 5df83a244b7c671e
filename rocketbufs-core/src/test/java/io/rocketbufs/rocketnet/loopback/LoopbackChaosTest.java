package io.rocketbufs.rocketnet.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketnet.PostResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;

/** Tests with many simultaneous faults, none of which may cause data loss. */
@Timeout(600)
class LoopbackChaosTest {
    private static final int LINKS = 3;
    private static final int WRITES = 100;

    @RepeatedTest(5)
    void shouldLoseNothingWhenTheReceiverPlaces() {
        run(LoopbackOptions.socket().workers(2).socketCapacity(300).longestControl(100));
    }

    @RepeatedTest(5)
    void shouldLoseNothingWhenTheSenderAddresses() {
        run(LoopbackOptions.oneSided().workers(2).window(3).injectLength(20));
    }

    private static void run(LoopbackOptions options) {
        long seed = System.nanoTime();
        System.out.println("chaos: seed=" + seed);
        Random random = new Random(seed);
        try (LoopbackPair pair = new LoopbackPair(options.seed(seed))) {
            List<Writer> writers = new ArrayList<>();
            for (int i = 0; i < LINKS; i++) {
                LoopbackPeer client = i == 0 ? pair.client : pair.connectAnother();
                writers.add(new Writer(client, random));
                writers.add(new Writer(client.peer(), random));
            }
            pair.network.shuffle(true);
            List<LoopbackFaults> directions = pair.network.links().stream()
                    .flatMap(link -> List.of(link.toServer(), link.toClient()).stream())
                    .toList();
            directions.forEach(direction -> direction.randomPieces(50));
            writers.forEach(Writer::pump);
            for (int i = 0; i < 1000; i++) {
                disturb(directions.get(random.nextInt(directions.size())), random.nextInt(3));
            }
            directions.forEach(LoopbackFaults::resume);
            pair.awaitQuiet();
            writers.forEach(Writer::verify);
        }
    }

    private static void disturb(LoopbackFaults direction, int kind) {
        switch (kind) {
            case 0 -> direction.hold();
            case 1 -> direction.resume();
            default -> direction.spuriousWritable();
        }
    }

    /** Writes consecutive ranges of random lengths as fast as room becomes available. */
    private static final class Writer {
        private final LoopbackPeer peer;
        private final int[] lengths;
        private int next;
        private int offset;
        private int owed;
        private int completedByProgress;

        Writer(LoopbackPeer peer, Random random) {
            this.peer = peer;
            lengths = random.ints(WRITES, 0, LoopbackPeer.CAPACITY / WRITES).toArray();
            peer.onRoom(this::pump);
        }

        synchronized void pump() {
            completedByProgress += peer.progress();
            while (next < WRITES) {
                PostResult result = peer.write(next, offset, lengths[next]);
                if (result == PostResult.NO_WINDOW) {
                    return;
                }
                owed += result == PostResult.POSTED ? 1 : 0;
                offset += lengths[next];
                next++;
            }
        }

        synchronized void verify() {
            assertThat(next).isEqualTo(WRITES);
            assertThat(peer.completions() + completedByProgress).isEqualTo(owed);
            assertThat(peer.peer().received()).isEqualTo(offset);
            assertThat(peer.peer().arrivals())
                    .containsExactlyElementsOf(IntStream.range(0, WRITES)
                            .mapToObj(i -> "arrived " + i + " " + lengths[i])
                            .toList());
        }
    }
}
