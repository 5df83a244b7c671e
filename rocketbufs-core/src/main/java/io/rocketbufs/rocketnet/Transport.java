package io.rocketbufs.rocketnet;

import io.rocketbufs.memory.Region;
import io.rocketbufs.settings.ReloadedFiles;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A means of moving bytes between machines, with its workers; the RocketNet layer of the paper.
 *
 * <p><b>Thread-safety:</b> all methods may be called from any thread.
 */
public interface Transport extends AutoCloseable {
    /** Returns the transport's name in the configuration. */
    String name();

    /** Returns the capabilities of this transport's connections. */
    Capabilities capabilities();

    /**
     * Returns, for diagnostics, the selected implementation and the reason for the selection, such as "epoll" or "nio
     * (no epoll: …)".
     */
    String detail();

    /**
     * Returns the address that local programs use to reach each other: the loopback address, unless the transport can
     * reach only the address of a device.
     */
    default InetAddress localAddress() {
        return InetAddress.getLoopbackAddress();
    }

    /**
     * Starts listening on an address.
     *
     * @throws TransportException immediately if the address cannot be used
     */
    TransportListener listen(InetSocketAddress address, TransportAcceptor acceptor);

    /**
     * Connects to an address without blocking. The returned future completes on the connection's worker after
     * {@code acceptor} has been called, or fails with a {@link TransportException}.
     */
    CompletableFuture<TransportConnection> connect(InetSocketAddress address, TransportAcceptor acceptor);

    /**
     * Returns the reason why peers cannot be granted rights to a region, or null if they can. A transport that
     * registers memory with a device tries to register the region. Whether the device accepts the memory of a file
     * depends on the device, the file system and the kernel. May block briefly.
     *
     * @param rights the rights to check, at least one
     */
    default String refusal(Region region, Set<Right> rights) {
        for (Right right : rights) {
            if (!capabilities().offers(right)) {
                return "transport " + name() + " does not offer the right " + right;
            }
            if (right != Right.READ && !region.writable()) {
                return "the memory is read-only";
            }
        }
        return null;
    }

    /** Returns the threads that run the I/O and the callbacks of this transport's connections. */
    List<? extends Worker> workers();

    /**
     * Returns true if the calling thread is one of this transport's workers, which must not block. This method should
     * neither block nor allocate, because the caller may be about to wait for space.
     */
    default boolean inWorker() {
        List<? extends Worker> workers = workers();
        for (int i = 0; i < workers.size(); i++) {
            if (workers.get(i).inWorker()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Rereads and checks the files named in this transport's settings, such as certificates. Nothing changes until
     * {@link ReloadedFiles#apply}; existing connections never change. Blocks while it reads.
     *
     * @throws IllegalArgumentException if a file cannot be used; names the key and the file
     */
    default ReloadedFiles reloadFiles() {
        return ReloadedFiles.NONE;
    }

    /** Returns the earliest expiry of this side's own certificates; null if there are none. */
    default Instant certificateEnd() {
        return null;
    }

    /**
     * Closes the remaining connections abruptly and waits for the workers to end. Before it ends, a worker runs the
     * tasks that the handlers of its connections queued while the connections were being closed. Idempotent.
     */
    @Override
    void close();
}
