package io.rocketbufs.link;

import io.rocketbufs.stress.CountingConnection;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Tests of {@link Sender} as a whole: no request is overlooked. */
public class SenderStress {
    /** A task that serves its requests as soon as the connection accepts data. */
    private static final class Asked extends SendTask {
        static final int REQUEST = FIRST_REQUEST;
        private final CountingConnection connection;
        private int pending;
        private int served;

        Asked(CountingConnection connection) {
            this.connection = connection;
        }

        @Override
        protected Outcome take(int requests) {
            pending |= requests;
            if (pending != 0 && connection.isFull()) {
                return Outcome.BLOCKED;
            }
            served |= pending;
            pending = 0;
            return Outcome.IDLE;
        }

        @Override
        protected boolean hasWork() {
            return false;
        }

        int served() {
            return served / REQUEST;
        }
    }

    /**
     * A request arrives while the connection becomes writable again. Results: the number of requests served, and the
     * number of failures.
     */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The request is served.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The request is never served, or sending failed.")
    @State
    public static class WritableWhileOneAsks {
        final CountingConnection connection = new CountingConnection();
        final Sender sender = connection.open().sender();
        final Asked task = new Asked(connection);

        /** Creates an idle task on a full connection. */
        public WritableWhileOneAsks() {
            sender.start(task);
            connection.full(true);
        }

        /** Sends a request. */
        @Actor
        public void asker() {
            sender.request(task, Asked.REQUEST);
        }

        /** Makes room and notifies the sender. */
        @Actor
        public void worker() {
            connection.full(false);
            sender.onWritable();
        }

        /** Records the result. */
        @Arbiter
        public void look(II_Result result) {
            result.r1 = task.served();
            result.r2 = connection.hasFailed() ? 1 : 0;
        }
    }

    /**
     * A sending side is closed while it is in use, and must end exactly once. Results: the number of requests served,
     * and the number of ends.
     */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "Ended once, with or without serving the request.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The end was missed, or reported twice.")
    @State
    public static class ClosedWhileOneAsks {
        final CountingConnection connection = new CountingConnection();
        final AtomicInteger ends = new AtomicInteger();
        final Sender sender = new Sender(connection, () -> {}, ends::incrementAndGet, e -> {});
        final Asked task = new Asked(connection);

        /** Creates an idle task. */
        public ClosedWhileOneAsks() {
            sender.openEmpty();
            sender.start(task);
        }

        /** Sends a request. */
        @Actor
        public void asker() {
            sender.request(task, Asked.REQUEST);
        }

        /** Closes the sending side. */
        @Actor
        public void closer() {
            sender.close();
        }

        /** Records the result. */
        @Arbiter
        public void look(II_Result result) {
            result.r1 = task.served();
            result.r2 = ends.get();
        }
    }
}
