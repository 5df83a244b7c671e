package io.rocketbufs.out;

import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.RemoteAccess;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Tests of {@link CreditWord} and {@link Credit}: a peer reports consumed positions both in a word and in messages, and
 * any thread can read the word.
 */
public class CreditStress {
    /** A word that the peer writes. */
    private static final class PeersWord implements LentWord {
        private volatile long value;

        @Override
        public RemoteAccess access() {
            return new RemoteAccess(1, 1);
        }

        @Override
        public long value() {
            return value;
        }

        @Override
        public void takeBack() {
            // The memory is not used for anything else.
        }
    }

    final PeersWord peers = new PeersWord();
    final Credit credit = new Credit(100, 100, true, 100, true);
    final AtomicInteger wrongClaims = new AtomicInteger();
    final CreditWord word = new CreditWord(peers, credit, () -> {}, position -> wrongClaims.incrementAndGet());

    /**
     * The peer consumes data while the data is still being written. Results: the consumed position, and the number of
     * rejected reports.
     */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "4, 0"},
            expect = Expect.ACCEPTABLE,
            desc = "The report has not been seen yet, or was accepted.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A valid report was treated as a protocol violation.")
    @State
    public static class ConsumedAtOnce extends CreditStress {
        /** Writes four bytes, which the peer consumes. */
        @Actor
        public void sender() {
            credit.claim(4);
            credit.sent(4);
            peers.value = 4;
        }

        /** Reads the word. */
        @Actor
        public void looker() {
            word.look();
        }

        /** Records the result. */
        @Arbiter
        public void look(II_Result result) {
            result.r1 = (int) credit.consumedPosition();
            result.r2 = wrongClaims.get();
        }
    }

    /**
     * An older message and a newer word are read concurrently. Results: the consumed position, and the number of
     * rejected reports.
     */
    @JCStressTest
    @Outcome(id = "4, 0", expect = Expect.ACCEPTABLE, desc = "The higher position counts.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The consumed position moved back.")
    @State
    public static class OlderMessageMeetsNewerWord extends CreditStress {
        /** Creates a peer that has consumed four bytes and has written the position into the word. */
        public OlderMessageMeetsNewerWord() {
            credit.claim(4);
            credit.sent(4);
            peers.value = 4;
        }

        /** Reads the message. */
        @Actor
        public void worker() {
            credit.onUpdate(2);
        }

        /** Reads the word. */
        @Actor
        public void looker() {
            word.look();
        }

        /** Records the result. */
        @Arbiter
        public void look(II_Result result) {
            result.r1 = (int) credit.consumedPosition();
            result.r2 = wrongClaims.get();
        }
    }
}
