package io.rocketbufs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.Connection;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A node whose worker is blocked in one of the test's callbacks. Simulates a stopped process. */
final class Blocked implements AutoCloseable {
    private static final long IDLE_NS = TimeUnit.MILLISECONDS.toNanos(40);

    private final CountDownLatch blocked = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final Node node;
    private volatile Connection connection;

    private Blocked(Node node) {
        this.node = node;
    }

    /** Blocks the node to which the inbox belongs. */
    static Blocked stop(Inbox inbox, Connection otherEnd) throws InterruptedException {
        Blocked blocked = new Blocked(null);
        inbox.in().setControlMessageCallback(message -> blocked.block());
        otherEnd.sendControlMessage(ByteBuffer.allocate(0));
        blocked.blocked.await();
        return blocked;
    }

    /** Prepares to block the given node. */
    static Blocked on(Node node) {
        Blocked blocked = new Blocked(node);
        node.onConnection(connection -> connection.setControlMessageCallback(message -> blocked.block()));
        return blocked;
    }

    /** Connects to the node, and blocks the worker that serves this connection there. */
    Inbox connectAndBlock(Node from) throws InterruptedException {
        Inbox inbox = from.inbox(node);
        inbox.in().sendControlMessage(ByteBuffer.allocate(0));
        blocked.await();
        return inbox;
    }

    /**
     * Blocks the worker of the next connection that the node accepts, as soon as the worker has run the timers that
     * were due within {@link #IDLE_NS} of the greeting.
     */
    static Blocked onceIdle(Node node) {
        Blocked blocked = new Blocked(node);
        node.onConnection(connection -> {
            blocked.connection = connection;
            blocked.blockAt(System.nanoTime() + IDLE_NS);
        });
        return blocked;
    }

    private void blockAt(long timeNs) {
        connection.execute(() -> {
            if (System.nanoTime() - timeNs < 0) {
                blockAt(timeNs);
            } else {
                connection.execute(() -> connection.execute(this::block));
            }
        });
    }

    /** Waits until the worker is blocked, and returns the accepted connection. */
    Connection await() throws InterruptedException {
        blocked.await();
        return connection;
    }

    /** Waits until released. Must be called in a callback. */
    void block() {
        blocked.countDown();
        try {
            released.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void release() {
        released.countDown();
    }

    /**
     * Resumes a subscriber that was stopped while more data was sent to it than fits into its buffer. The subscriber
     * then receives the remaining data, and no connection may fail. There is one exception: if writes to the subscriber
     * held memory that the producer needed, and could not be withdrawn, the subscriber must have been disconnected.
     *
     * @param others number of other subscribers to the same buffer
     */
    void release(Received stopped, Node sending, Sent sent, int others) {
        boolean isKept = sending.out().subscriptionCount(1) > others;
        release();
        if (isKept) {
            // The time limit for writes may expire in this moment.
            Stage.eventually(() -> stopped.position() >= sent.length() || stopped.isEnded(), stopped::toString);
            if (!stopped.isEnded()) {
                stopped.checkBoundaries(sent);
                return;
            }
        }
        assertThat(sending.awaitFailures())
                .singleElement()
                .asString()
                .containsPattern("subscription of 127\\.0\\.0\\.1:\\d+ to buffer 1 holds \\d+ bytes")
                .containsPattern("have not completed for \\d+ ms");
        assertThat(stopped.awaitEnd().failure()).isNotNull();
    }

    @Override
    public void close() {
        release();
    }
}
