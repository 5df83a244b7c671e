package io.rocketbufs.out;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Tests of {@link Fanout}: a subscription that joins during deliveries receives all later data once. */
public class JoinStress {
    /** A subscription joins during two deliveries. Results: where it began, bytes sent. */
    @JCStressTest
    @Outcome(
            id = {"0, 8", "4, 4", "8, 0"},
            expect = Expect.ACCEPTABLE,
            desc = "Everything from a delivery on was sent.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Data is missing, was sent twice, or waits forever.")
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

    /** An expected subscription joins during two deliveries. */
    @JCStressTest
    @Outcome(id = "0, 8", expect = Expect.ACCEPTABLE, desc = "Everything was sent.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Data is missing, was sent twice, or waits forever.")
    @State
    public static class ExpectedJoinsWhileOneDelivers extends Joining {
        /** Keeps the data that is delivered from now on. */
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

    /** Memory that a joining subscription will read counts as in use. */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "Unsent data of the subscription is in use.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Memory that the subscription will read counts as free.")
    @State
    public static class JoinsWhileOneLooksForSpace extends Joining {
        private long free;

        /** The subscriber accepts nothing. */
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
