package io.rocketbufs.rocketnet;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One way to move bytes between machines, with its workers: the RocketNet layer of the paper.
 *
 * <p><b>Thread-safety:</b> all methods may be called from any thread.
 */
public interface Transport extends AutoCloseable {
    /** The name in the configuration. */
    String name();

    /** What connections of this transport can do. */
    Capabilities capabilities();

    /** What was chosen within the transport and why, for people: "epoll", "nio (no epoll: …)". */
    String detail();

    /** Where programs of this machine reach each other; not the loopback address where only a device leads anywhere. */
    default InetAddress localAddress() {
        return InetAddress.getLoopbackAddress();
    }

    /**
     * Listens at an address.
     *
     * @throws TransportException at once when the address cannot be used
     */
    TransportListener listen(InetSocketAddress address, TransportAcceptor acceptor);

    /**
     * Connects to an address; does not block. The future fails with a {@link TransportException} and completes on the
     * connection's worker after {@code acceptor} has been called.
     */
    CompletableFuture<TransportConnection> connect(InetSocketAddress address, TransportAcceptor acceptor);

    /** The threads that do the I/O and the callbacks of its connections. */
    List<? extends Worker> workers();

    /** True on the thread of any of its workers, which must not block. */
    default boolean inWorker() {
        return workers().stream().anyMatch(Worker::inWorker);
    }

    /** Ends the workers and, without ceremony, what is still connected. Idempotent; waits for the workers' end. */
    @Override
    void close();
}
