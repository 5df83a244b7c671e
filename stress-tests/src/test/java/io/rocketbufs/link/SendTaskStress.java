package io.rocketbufs.link;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/**
 * {@link SendTask}: what is asked at any moment is served afterwards, and the task is never queued twice. Results: what
 * was served, times queued twice.
 */
public class SendTaskStress {
    /** Data comes while the task goes to rest. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The data is served.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The data waits for ever, or the task was queued twice.")
    @State
    public static class SignalledWhileItGoesToRest {
        final ServedTask task = new ServedTask(SendTask.Outcome.IDLE);

        /** Serves the queued task. */
        @Actor
        public void holder() {
            task.serve();
        }

        /** Delivers and signals. */
        @Actor
        public void producer() {
            task.work.add();
            task.serveIf(task.signal());
        }

        /** Looks at what came of it. */
        @Arbiter
        public void look(II_Result result) {
            result.r1 = task.work.done();
            result.r2 = task.twice();
        }
    }

    /** A request comes while the task goes to rest. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The request is served.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The request waits for ever, or the task was queued twice.")
    @State
    public static class RequestedWhileItGoesToRest {
        final ServedTask task = new ServedTask(SendTask.Outcome.IDLE);

        /** Serves the queued task. */
        @Actor
        public void holder() {
            task.serve();
        }

        /** Asks. */
        @Actor
        public void asker() {
            task.serveIf(task.request(ServedTask.FIRST));
        }

        /** Looks at what came of it. */
        @Arbiter
        public void look(II_Result result) {
            result.r1 = task.served();
            result.r2 = task.twice();
        }
    }

    /** Two threads ask something of a task that rests. */
    @JCStressTest
    @Outcome(id = "3, 0", expect = Expect.ACCEPTABLE, desc = "Both requests are served.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A request waits for ever, or the task was queued twice.")
    @State
    public static class RequestedByTwo {
        final ServedTask task = new ServedTask(SendTask.Outcome.IDLE).resting();

        /** Asks one thing. */
        @Actor
        public void first() {
            task.serveIf(task.request(ServedTask.FIRST));
        }

        /** Asks another. */
        @Actor
        public void second() {
            task.serveIf(task.request(ServedTask.SECOND));
        }

        /** Looks at what came of it. */
        @Arbiter
        public void look(II_Result result) {
            result.r1 = task.served();
            result.r2 = task.twice();
        }
    }

    /** What the task waits for comes while it is being parked. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The task goes on.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The task waits for ever, or was queued twice.")
    @State
    public static class UnparkedWhileItParks {
        final ServedTask task = new ServedTask(SendTask.Outcome.PARKED);

        /** Serves the queued task. */
        @Actor
        public void holder() {
            task.serve();
        }

        /** Gives what it waits for. */
        @Actor
        public void worker() {
            task.work.add();
            task.serveIf(task.unpark());
        }

        /** Looks at what came of it. */
        @Arbiter
        public void look(II_Result result) {
            result.r1 = task.work.done();
            result.r2 = task.twice();
        }
    }

    /** Two threads make a task ready that rests: data, and a request. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "Both are served.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "One waits for ever, or the task was queued twice.")
    @State
    public static class SignalledAndRequested {
        final ServedTask task = new ServedTask(SendTask.Outcome.IDLE).resting();

        /** Delivers and signals. */
        @Actor
        public void producer() {
            task.work.add();
            task.serveIf(task.signal());
        }

        /** Asks. */
        @Actor
        public void asker() {
            task.serveIf(task.request(ServedTask.FIRST));
        }

        /** Looks at what came of it. */
        @Arbiter
        public void look(II_Result result) {
            result.r1 = task.work.done() * task.served();
            result.r2 = task.twice();
        }
    }

    /** Memory is asked for while the task goes to rest: both are in one word. */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "The request stays.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The request is lost, so the task would be asked twice.")
    @State
    public static class ReliefWhileItGoesToRest {
        final ServedTask task = new ServedTask(SendTask.Outcome.IDLE);

        /** Serves the queued task. */
        @Actor
        public void holder() {
            task.serve();
        }

        /** Asks for memory. */
        @Actor
        public void producer() {
            task.requestRelief();
        }

        /** Looks at what came of it. */
        @Arbiter
        public void look(Z_Result result) {
            result.r1 = !task.requestRelief();
        }
    }
}
