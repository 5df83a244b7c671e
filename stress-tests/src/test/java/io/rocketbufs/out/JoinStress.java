package io.rocketbufs.out;

import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.Start;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZI_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Tests of {@link Fanout}: a subscription that joins during deliveries receives all later data exactly once. */
public class JoinStress {
    /**
     * A subscription joins during two deliveries. Results: the log position at which it began, and the number of bytes
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

    /** Like {@link JoinsWhileOneDelivers}, but the subscription has been announced earlier. */
    @JCStressTest
    @Outcome(id = "0, 8", expect = Expect.ACCEPTABLE, desc = "All data was sent.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Data is missing, was sent twice, or is never sent.")
    @State
    public static class ExpectedJoinsWhileOneDelivers extends Joining {
        /** Announces the subscription, so that all data delivered after that is kept for it. */
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

    /**
     * A subscription joins with the oldest kept data while the producer determines which memory is free. Results:
     * whether memory that the subscription will read counts as in use, and the log position at which it began.
     */
    @JCStressTest
    @Outcome(
            id = {"true, 4", "true, 8", "true, 12"},
            expect = Expect.ACCEPTABLE,
            desc = "The kept data that the subscription will read counts as in use.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Memory that the subscription will read counts as free.")
    @State
    public static class JoinsKeptDataWhileOneLooksForSpace extends Joining {
        private long free;

        /** Creates a buffer that keeps two deliveries, and a subscriber that accepts no data. */
        public JoinsKeptDataWhileOneLooksForSpace() {
            super(BufferOptions.DEFAULTS.withCoalescing(false).withKeep(2 * LENGTH), Start.OLDEST);
            connection.full(true);
            deliver();
            deliver();
            deliver();
        }

        /** Delivers, and determines which memory is free. */
        @Actor
        public void producer() {
            deliver();
            deliver();
            free = buffer.fanout().minNeeded();
        }

        /** Joins. */
        @Actor
        public void worker() {
            join();
        }

        /** Records the result. */
        @Arbiter
        public void look(ZI_Result result) {
            result.r1 = free <= subscription.released();
            result.r2 = begin();
        }
    }

    /**
     * A subscription joins with the oldest kept data, and the buffer ends, while a thread determines which memory is
     * free. Results: the same as in {@link JoinsKeptDataWhileOneLooksForSpace}.
     */
    @JCStressTest
    @Outcome(
            id = "true, 4",
            expect = Expect.ACCEPTABLE,
            desc = "The kept data that the subscription will read counts as in use.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Memory that the subscription will read counts as free.")
    @State
    public static class JoinsKeptDataBeforeTheEndWhileOneLooksForSpace extends Joining {
        private long free;

        /** Creates a buffer that keeps two deliveries, and a subscriber that accepts no data. */
        public JoinsKeptDataBeforeTheEndWhileOneLooksForSpace() {
            super(BufferOptions.DEFAULTS.withCoalescing(false).withKeep(2 * LENGTH), Start.OLDEST);
            connection.full(true);
            deliver();
            deliver();
            deliver();
        }

        /** Determines which memory is free. */
        @Actor
        public void producer() {
            free = buffer.fanout().minNeeded();
        }

        /** Joins, and ends the buffer. */
        @Actor
        public void worker() {
            join();
            buffer.end();
        }

        /** Records the result. */
        @Arbiter
        public void look(ZI_Result result) {
            result.r1 = free <= subscription.released();
            result.r2 = begin();
        }
    }

    /**
     * The first subscription joins and is lost during a delivery. The producer then determines which memory is free and
     * which data has been consumed. Results: whether the data that is kept for the next subscription counts as in use,
     * and whether it counts as unconsumed.
     */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "The kept data counts as in use.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Data that is kept for the next subscription counts as free.")
    @State
    public static class JoinsAndIsLostWhileOneLooksForSpace extends Joining {
        private long free;
        private long consumed;

        /** Creates a buffer without subscriptions that keeps unconsumed data. */
        public JoinsAndIsLostWhileOneLooksForSpace() {
            super(BufferOptions.DEFAULTS.withResume(true), Start.LIVE);
        }

        /** Delivers, and determines which memory is free. */
        @Actor
        public void producer() {
            deliver();
            free = buffer.fanout().minReleased();
            consumed = buffer.fanout().minConsumed();
        }

        /** Joins, and then loses the subscription. */
        @Actor
        public void worker() {
            join();
            subscription.cut();
        }

        /** Records the result. */
        @Arbiter
        public void look(ZZ_Result result) {
            long kept = buffer.fanout().minReleased();
            result.r1 = free <= kept;
            result.r2 = consumed <= kept;
        }
    }

    /**
     * During a delivery, the first subscription joins and is lost, another one joins, and the buffer ends. The producer
     * then determines which memory is free. Result: whether memory that the second subscription reads counts as in use.
     */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "The data of the subscription counts as in use.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Memory that the subscription will read counts as free.")
    @State
    public static class JoinsAgainBeforeTheEndWhileOneLooksForSpace extends Joining {
        private final long reserved;
        private long free;

        /** Creates a buffer with an open reservation, which keeps unconsumed data, and a subscriber without credit. */
        public JoinsAgainBeforeTheEndWhileOneLooksForSpace() {
            super(BufferOptions.DEFAULTS.withResume(true), Start.LIVE);
            connection.full(true);
            reserved = buffer.reserve(LENGTH);
        }

        /** Delivers, and determines which memory is free. */
        @Actor
        public void producer() {
            buffer.deliver(reserved, LENGTH, LENGTH, null);
            free = buffer.fanout().minReleased();
        }

        /** Joins, loses the subscription, joins again, and ends the buffer. */
        @Actor
        public void worker() {
            join();
            subscription.cut();
            join();
            buffer.end();
        }

        /** Records the result. */
        @Arbiter
        public void look(Z_Result result) {
            result.r1 = free <= subscription.released();
        }
    }

    /**
     * The last subscription is lost and another one continues, while a thread determines which memory is free. Result:
     * whether memory with unconsumed data counts as in use.
     */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "Unconsumed data counts as in use.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Unconsumed data counts as free.")
    @State
    public static class ContinuesWhileOneLooksForSpace extends Joining {
        private long free;

        /** Creates a buffer whose only subscription has been sent a delivery but has not consumed it. */
        public ContinuesWhileOneLooksForSpace() {
            super(BufferOptions.DEFAULTS.withResume(true), Start.at(0));
            join();
            deliver();
        }

        /** Determines which memory is free. */
        @Actor
        public void producer() {
            free = buffer.fanout().minReleased();
        }

        /** Loses the subscription, and then joins again. */
        @Actor
        public void worker() {
            subscription.cut();
            join();
        }

        /** Records the result. */
        @Arbiter
        public void look(Z_Result result) {
            result.r1 = free == 0;
        }
    }

    /**
     * A producer starts to wait for space while the only subscription reports that it has consumed half of the data.
     * The subscription then consumes the other half, but reports that only if it has been asked to. Result: whether the
     * producer has space or was notified.
     */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "The producer can continue.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The producer waits forever.")
    @State
    public static class ProducerWaitsWhileOneConsumes extends Joining {
        private volatile boolean continues;

        /** Fills the log of a buffer whose only subscription has been sent all data. */
        public ProducerWaitsWhileOneConsumes() {
            super(BufferOptions.DEFAULTS.withCoalescing(false).withResume(true), Start.LIVE);
            buffer.setSpaceCallback(() -> continues = true);
            join();
            for (int i = 0; i < 8; i++) {
                deliver();
            }
        }

        /** Reserves space, or starts to wait for it. */
        @Actor
        public void producer() {
            if (buffer.reserve(LENGTH) >= 0) {
                continues = true;
            }
        }

        /** Reports that part of the data has been consumed. */
        @Actor
        public void worker() {
            subscription.onCredit(LENGTH);
        }

        /** Answers requests, and records the result. */
        @Arbiter
        public void look(Z_Result result) {
            if (connection.asked() > LENGTH) {
                subscription.onCredit(8 * LENGTH);
            }
            result.r1 = continues;
        }
    }

    /**
     * A producer reserves or starts to wait for records that hold kept data, while a subscription with the policy SKIP
     * joins with that data. The subscriber accepts no data. Result: whether the producer has space or was notified.
     */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "The producer can continue.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The producer waits forever.")
    @State
    public static class ProducerNeedsKeptRecordsWhileOneJoins extends Joining {
        private volatile boolean continues;

        /** Fills the log with kept data, and creates a subscriber that accepts no data. */
        public ProducerNeedsKeptRecordsWhileOneJoins() {
            super(
                    BufferOptions.DEFAULTS
                            .withCoalescing(false)
                            .withSlowPolicy(SlowPolicy.SKIP)
                            .withKeep(8 * LENGTH),
                    Start.OLDEST);
            buffer.setSpaceCallback(() -> continues = true);
            connection.full(true);
            for (int i = 0; i < 8; i++) {
                deliver();
            }
        }

        /** Reserves space, or starts to wait for it. */
        @Actor
        public void producer() {
            if (buffer.reserve(LENGTH) >= 0) {
                continues = true;
            }
        }

        /** Joins. */
        @Actor
        public void worker() {
            join();
        }

        /** Records the result. */
        @Arbiter
        public void look(Z_Result result) {
            result.r1 = continues;
        }
    }

    /**
     * The only subscription has been lost, and a producer starts to wait for space while the next subscription joins.
     * That subscription reports consumption only if it has been asked to. Result: whether the producer has space or was
     * notified.
     */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "The producer can continue.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The producer waits forever.")
    @State
    public static class ProducerWaitsWhileOneContinues extends Joining {
        private volatile boolean continues;

        /** Fills the log of a buffer whose only subscription was lost before it consumed anything. */
        public ProducerWaitsWhileOneContinues() {
            super(BufferOptions.DEFAULTS.withCoalescing(false).withResume(true), Start.at(0));
            buffer.setSpaceCallback(() -> continues = true);
            join();
            for (int i = 0; i < 8; i++) {
                deliver();
            }
            subscription.cut();
        }

        /** Reserves space, or starts to wait for it. */
        @Actor
        public void producer() {
            if (buffer.reserve(LENGTH) >= 0) {
                continues = true;
            }
        }

        /** Lets the next subscription continue. */
        @Actor
        public void worker() {
            join();
        }

        /** Answers requests, and records the result. */
        @Arbiter
        public void look(Z_Result result) {
            if (connection.asked() > 0) {
                subscription.onCredit(8 * LENGTH);
            }
            result.r1 = continues;
        }
    }
}
