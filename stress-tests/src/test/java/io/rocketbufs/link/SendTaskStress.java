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
 * Tests of {@link SendTask}: every request is served eventually, and the task is never queued twice. Results: the
 * served requests or work, and the number of times that the task was queued twice.
 */
public class SendTaskStress {
    /** Data arrives while the task becomes idle. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The data is served.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The data is never served, or the task was queued twice.")
    @State
    public static class SignalledWhileItGoesToRest {
        final ServedTask task = new ServedTask(SendTask.Outcome.IDLE);

        /** Serves the queued task. */
        @Actor
        public void holder() {
            task.serve();
        }

        /** Delivers data and signals the task. */
        @Actor
        public void producer() {
            task.work.add();
            task.serveIf(task.signal());
        }

        /** Records the result. */
        @Arbiter
        public void look(II_Result result) {
            result.r1 = task.work.done();
            result.r2 = task.twice();
        }
    }

    /** A request arrives while the task becomes idle. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The request is served.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The request is never served, or the task was queued twice.")
    @State
    public static class RequestedWhileItGoesToRest {
        final ServedTask task = new ServedTask(SendTask.Outcome.IDLE);

        /** Serves the queued task. */
        @Actor
        public void holder() {
            task.serve();
        }

        /** Sends a request. */
        @Actor
        public void asker() {
            task.serveIf(task.request(ServedTask.FIRST));
        }

        /** Records the result. */
        @Arbiter
        public void look(II_Result result) {
            result.r1 = task.served();
            result.r2 = task.twice();
        }
    }

    /** Two threads send requests to an idle task. */
    @JCStressTest
    @Outcome(id = "3, 0", expect = Expect.ACCEPTABLE, desc = "Both requests are served.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A request is never served, or the task was queued twice.")
    @State
    public static class RequestedByTwo {
        final ServedTask task = new ServedTask(SendTask.Outcome.IDLE).resting();

        /** Sends one request. */
        @Actor
        public void first() {
            task.serveIf(task.request(ServedTask.FIRST));
        }

        /** Sends another request. */
        @Actor
        public void second() {
            task.serveIf(task.request(ServedTask.SECOND));
        }

        /** Records the result. */
        @Arbiter
        public void look(II_Result result) {
            result.r1 = task.served();
            result.r2 = task.twice();
        }
    }

    /** The event for which the task waits occurs while the task is being parked. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The task continues.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The task waits forever, or was queued twice.")
    @State
    public static class UnparkedWhileItParks {
        final ServedTask task = new ServedTask(SendTask.Outcome.PARKED);

        /** Serves the queued task. */
        @Actor
        public void holder() {
            task.serve();
        }

        /** Provides the event for which the task waits. */
        @Actor
        public void worker() {
            task.work.add();
            task.serveIf(task.unpark());
        }

        /** Records the result. */
        @Arbiter
        public void look(II_Result result) {
            result.r1 = task.work.done();
            result.r2 = task.twice();
        }
    }

    /** Two threads make an idle task ready: one with data, one with a request. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The data and the request are served.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The data or the request is never served, or the task was queued twice.")
    @State
    public static class SignalledAndRequested {
        final ServedTask task = new ServedTask(SendTask.Outcome.IDLE).resting();

        /** Delivers data and signals the task. */
        @Actor
        public void producer() {
            task.work.add();
            task.serveIf(task.signal());
        }

        /** Sends a request. */
        @Actor
        public void asker() {
            task.serveIf(task.request(ServedTask.FIRST));
        }

        /** Records the result. */
        @Arbiter
        public void look(II_Result result) {
            result.r1 = task.work.done() * task.served();
            result.r2 = task.twice();
        }
    }

    /**
     * A relief request arrives while the task becomes idle. Both events change the same word. Result: whether the
     * request is kept.
     */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "The request is kept.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The request is lost, so the task would be asked twice.")
    @State
    public static class ReliefWhileGoingIdle {
        final ServedTask task = new ServedTask(SendTask.Outcome.IDLE);

        /** Serves the queued task. */
        @Actor
        public void holder() {
            task.serve();
        }

        /** Requests relief. */
        @Actor
        public void producer() {
            task.requestRelief();
        }

        /** Records the result. */
        @Arbiter
        public void look(Z_Result result) {
            result.r1 = !task.requestRelief();
        }
    }
}
