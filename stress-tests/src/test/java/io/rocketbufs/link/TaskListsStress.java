package io.rocketbufs.link;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Tests of {@link ReadyTasks} and {@link ReliefRequests}: every added task is listed exactly once, in order. */
public class TaskListsStress {
    /** A task with a number. */
    private static final class Numbered extends SendTask {
        final int number;

        Numbered(int number) {
            this.number = number;
        }

        @Override
        protected Outcome take(int requests) {
            return Outcome.IDLE;
        }

        @Override
        protected boolean hasWork() {
            return false;
        }
    }

    /** Returns a decimal number whose digits are the numbers of the listed tasks, in order. */
    private static int digits(ReadyTasks ready) {
        ready.collect();
        int digits = 0;
        for (; ready.first() != null; ready.removeFirst()) {
            digits = 10 * digits + ((Numbered) ready.first()).number;
        }
        return digits;
    }

    /** Two threads add one task each. Result: the listed tasks. */
    @JCStressTest
    @Outcome(
            id = {"12", "21"},
            expect = Expect.ACCEPTABLE,
            desc = "Both tasks are listed.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A task is lost, or listed twice.")
    @State
    public static class TwoAdd {
        final ReadyTasks ready = new ReadyTasks();

        /** Adds the first task. */
        @Actor
        public void first() {
            ready.add(new Numbered(1));
        }

        /** Adds the second task. */
        @Actor
        public void second() {
            ready.add(new Numbered(2));
        }

        /** Records the result. */
        @Arbiter
        public void look(I_Result result) {
            result.r1 = digits(ready);
        }
    }

    /** One thread adds two tasks while the holder collects them. Result: the listed tasks. */
    @JCStressTest
    @Outcome(id = "12", expect = Expect.ACCEPTABLE, desc = "Both tasks are listed, in order.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A task is lost, listed twice, or listed too early.")
    @State
    public static class CollectsWhileOneAdds {
        final ReadyTasks ready = new ReadyTasks();

        /** Adds two tasks. */
        @Actor
        public void producer() {
            ready.add(new Numbered(1));
            ready.add(new Numbered(2));
        }

        /** Collects the tasks that have been added. */
        @Actor
        public void holder() {
            ready.collect();
        }

        /** Records the result. */
        @Arbiter
        public void look(I_Result result) {
            result.r1 = digits(ready);
        }
    }

    /**
     * Two threads request relief, which means that they want a task to release memory. The thread that holds the token
     * asks the task to release memory. Results: the number of requests served, and the number of times that two threads
     * asked the task concurrently.
     */
    @JCStressTest
    @Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "The task was asked to release memory after each request.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A request was lost, or two threads asked the task concurrently.")
    @State
    public static class TwoWantMemory {
        final Token token = new Token();
        final ReliefRequests reliefs = new ReliefRequests();
        final Giving task = new Giving(0);

        /** Requests relief. */
        @Actor
        public void first() {
            want();
        }

        /** Requests relief. */
        @Actor
        public void second() {
            want();
        }

        private void want() {
            task.work.add();
            reliefs.add(task);
            if (token.tryEnter()) {
                do {
                    reliefs.serve();
                } while (!token.tryLeave());
            }
        }

        /** Records the result. */
        @Arbiter
        public void look(II_Result result) {
            result.r1 = task.work.done();
            result.r2 = task.work.overlaps();
        }
    }

    /**
     * A thread requests relief while the same task refuses an earlier request and therefore must be asked again.
     * Results: the number of requests served, and the number of times that the task was asked to release memory.
     */
    @JCStressTest
    @Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "The task was asked again exactly once.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The task was forgotten, or was in two lists.")
    @State
    public static class AskedForWhileItWaits {
        final ReliefRequests reliefs = new ReliefRequests();
        final Giving task = new Giving(1);

        /** Creates a task with a pending request for relief. */
        public AskedForWhileItWaits() {
            reliefs.add(task);
        }

        /** Asks the task to release memory. The task refuses, and is added to the list of tasks to ask again. */
        @Actor
        public void holder() {
            reliefs.serve();
        }

        /** Requests relief. */
        @Actor
        public void producer() {
            task.work.add();
            reliefs.add(task);
        }

        /** Asks the task again, and records the result. */
        @Arbiter
        public void look(II_Result result) {
            reliefs.serve();
            reliefs.serve();
            result.r1 = task.work.done();
            result.r2 = task.calls;
        }
    }

    /** A task that refuses a given number of times before it releases memory. */
    private static final class Giving extends SendTask {
        final Work work = new Work();
        private final int refusals;
        private int calls;

        Giving(int refusals) {
            this.refusals = refusals;
        }

        @Override
        protected Outcome take(int requests) {
            return Outcome.IDLE;
        }

        @Override
        protected boolean hasWork() {
            return false;
        }

        @Override
        protected boolean relieve() {
            calls++;
            if (calls <= refusals) {
                return false;
            }
            work.run();
            return true;
        }
    }
}
