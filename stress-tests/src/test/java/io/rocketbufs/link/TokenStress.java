package io.rocketbufs.link;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Tests of {@link Token}: at most one thread holds it at a time, and no work is overlooked. Results: the number of work
 * items done, and the number of times that two threads held the token at the same time.
 */
public class TokenStress {
    final Token token = new Token();
    final Work work = new Work();

    /** Does all pending work, like the sender, until the token can be released. */
    final void drain() {
        do {
            work.run();
        } while (!token.tryLeave());
    }

    final void addAndEnter() {
        work.add();
        if (token.tryEnter()) {
            drain();
        }
    }

    final void count(II_Result result) {
        result.r1 = work.done();
        result.r2 = work.overlaps();
    }

    /** Two threads add work and try to acquire a free token. A thread that fails leaves a mark for the holder. */
    @JCStressTest
    @Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "All work is done, by one holder at a time.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Work was overlooked, or two threads held the token.")
    @State
    public static class TwoEnter extends TokenStress {
        /** Adds work, and does it if the token is free. */
        @Actor
        public void first() {
            addAndEnter();
        }

        /** Adds work, and does it if the token is free. */
        @Actor
        public void second() {
            addAndEnter();
        }

        /** Records the result. */
        @Arbiter
        public void look(II_Result result) {
            count(result);
        }
    }

    /** A thread that cannot wait acquires the token even though it is queued for the worker. */
    @JCStressTest
    @Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "All work is done, by one holder at a time.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Work was overlooked, or two threads held the token.")
    @State
    public static class OneTakesWhatWaitsForTheWorker extends TokenStress {
        /** Creates a token that is queued for the worker, with one pending work item. */
        public OneTakesWhatWaitsForTheWorker() {
            token.tryEnter();
            work.add();
            token.queue();
        }

        /** Acquires the token if it is still queued. */
        @Actor
        public void worker() {
            if (token.takeQueued()) {
                drain();
            }
        }

        /** Adds work, and does it if the token is free or still queued. */
        @Actor
        public void hurried() {
            work.add();
            if (token.takeQueued() || token.tryEnter()) {
                drain();
            }
        }

        /** Records the result. */
        @Arbiter
        public void look(II_Result result) {
            count(result);
        }
    }

    /** The holder hands the token over to the worker while another thread tries to acquire it and may leave a mark. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The work is done, by one holder at a time.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Work was overlooked, or two threads held the token.")
    @State
    public static class HandsOverWhileOneEnters extends TokenStress {
        /** Creates a token that is held. */
        public HandsOverWhileOneEnters() {
            token.tryEnter();
        }

        /** Does the work, hands the token over, and continues as the worker. */
        @Actor
        public void holder() {
            work.run();
            token.queue();
            if (token.takeQueued()) {
                drain();
            }
        }

        /** Adds work, and does it if the token is free. */
        @Actor
        public void late() {
            addAndEnter();
        }

        /** Records the result. */
        @Arbiter
        public void look(II_Result result) {
            count(result);
        }
    }
}
