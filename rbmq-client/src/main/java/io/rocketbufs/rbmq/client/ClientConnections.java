package io.rocketbufs.rbmq.client;

import io.rocketbufs.RocketBufs;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The two connections of a client to one broker, each opened on first use.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns the connections, but not the RocketBufs.
 */
final class ClientConnections {
    private final ClientOptions options;
    private final RocketBufs rocketBufs;
    private final BooleanSupplier isClosing;
    private final Consumer<Throwable> onLost;
    private final SameBroker sameBroker = new SameBroker();

    // Written under this object's lock. The lock is held while connecting, so a worker must not acquire it.
    private volatile Publisher publisher;
    private volatile Subscriber subscriber;

    /**
     * Creates an object without connections.
     *
     * @param isClosing returns true if no further connection may be opened
     * @param onLost called when an open connection is lost and will not be replaced
     */
    ClientConnections(
            ClientOptions options, RocketBufs rocketBufs, BooleanSupplier isClosing, Consumer<Throwable> onLost) {
        this.options = options;
        this.rocketBufs = rocketBufs;
        this.isClosing = isClosing;
        this.onLost = onLost;
    }

    /** Returns the connection that publishes; null if it has not been opened. */
    Publisher openPublisher() {
        return publisher;
    }

    /** Returns the connection that subscribes; null if it has not been opened. */
    Subscriber openSubscriber() {
        return subscriber;
    }

    /** Returns the connection that publishes, opening it if necessary; see {@link RbmqClient#publisher()}. */
    Publisher publisher() {
        Publisher open = publisher;
        return open != null ? open : connectPublisher();
    }

    private Publisher connectPublisher() {
        requireMayWait("publishes", "publisher()");
        Publisher opened;
        synchronized (this) {
            if (publisher != null) {
                return publisher;
            }
            requireNotClosed();
            opened = Publisher.connect(rocketBufs, options.publisher(), options.publisherCallback(), sameBroker);
            publisher = opened;
        }
        reportLossOf(opened.closed());
        return opened;
    }

    /** Returns the connection that subscribes, opening it if necessary; see {@link RbmqClient#subscriber()}. */
    Subscriber subscriber() {
        Subscriber open = subscriber;
        return open != null ? open : connectSubscriber();
    }

    private Subscriber connectSubscriber() {
        requireMayWait("subscribes", "subscriber()");
        Subscriber opened;
        synchronized (this) {
            if (subscriber != null) {
                return subscriber;
            }
            requireNotClosed();
            opened = Subscriber.connect(rocketBufs, options.subscriber(), options.callback(), sameBroker);
            subscriber = opened;
        }
        reportLossOf(opened.closed());
        return opened;
    }

    private void requireMayWait(String what, String method) {
        if (rocketBufs.isWorkerThread()) {
            throw new IllegalStateException("the connection that " + what
                    + " is not open, and a handler must not wait for it: call " + method + " before subscribing");
        }
    }

    private void requireNotClosed() {
        if (isClosing.getAsBoolean()) {
            throw new IllegalStateException("this client is closed");
        }
    }

    private void reportLossOf(CompletableFuture<Void> end) {
        end.whenComplete((done, failure) -> {
            if (failure != null) {
                onLost.accept(failure);
            }
        });
    }

    /**
     * Closes both connections. Waits for a thread that is currently connecting; no other thread connects after that.
     * Closes the publisher first, so that the subscriber still receives the messages that the publisher flushes.
     *
     * @param drainTimeoutMs maximum duration of the flush
     */
    synchronized void close(long drainTimeoutMs) {
        try {
            if (publisher != null) {
                publisher.close(drainTimeoutMs);
            }
        } finally {
            if (subscriber != null) {
                subscriber.close();
            }
        }
    }
}
