package io.rocketbufs.out;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Tests of {@link Fanout}: a subscription that joins during deliveries receives all later data exactly once. */
public class JoinStress {
    /**
     * A subscription joins during two deliveries. Results: the log position where it began, and the number of bytes
     * sent to it.
     */
    @JCStressTest
    @Outcome(
            id = {"0, 8", "4, 4", "8, 0"},
            expect = Expect.ACCEPTABLE,
            desc = "All data was sent from the position where the subscription began.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Data is missing, was sent twice, or is never sent.")
    @State
    public static class JoinsWhileOneDelivers extends Joining {
        /** Delivers twice. */
        @Actor
        public void producer() {
            deliver();
            deliver();
        }

        /** Joins. */
        @Actor
        public void worker() {
            join();
        }

        /** Records the result. */
        @Arbiter
        public void look(II_Result result) {
            result.r1 = begin();
            result.r2 = sent();
        }
    }

    /** A previously announced subscription joins during two deliveries. The results are as above. */
    @JCStressTest
    @Outcome(id = "0, 8", expect = Expect.ACCEPTABLE, desc = "All data was sent.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Data is missing, was sent twice, or is never sent.")
    @State
    public static class ExpectedJoinsWhileOneDelivers extends Joining {
        /** Announces the subscription, so all data delivered from now on is kept for it. */
        public ExpectedJoinsWhileOneDelivers() {
            buffer.fanout().expect(link);
        }

        /** Delivers twice. */
        @Actor
        public void producer() {
            deliver();
            deliver();
        }

        /** Joins. */
        @Actor
        public void worker() {
            join();
        }

        /** Records the result. */
        @Arbiter
        public void look(II_Result result) {
            result.r1 = begin();
            result.r2 = sent();
        }
    }

    /**
     * A subscription joins while the producer determines which memory is free. Result: whether memory that the
     * subscription will read counts as in use.
     */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "Unsent data of the subscription counts as in use.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Memory that the subscription will read counts as free.")
    @State
    public static class JoinsWhileOneLooksForSpace extends Joining {
        private long free;

        /** Creates a subscriber that accepts no data. */
        public JoinsWhileOneLooksForSpace() {
            connection.full(true);
        }

        /** Delivers, and determines which memory is free. */
        @Actor
        public void producer() {
            deliver();
            free = buffer.fanout().minReleased();
        }

        /** Joins. */
        @Actor
        public void worker() {
            join();
        }

        /** Records the result. */
        @Arbiter
        public void look(Z_Result result) {
            result.r1 = free <= subscription.released();
        }
    }
}
