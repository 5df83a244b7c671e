package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.AtomicWord;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.TransportListener;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection from a NIC to itself. This side uses it to change words of its own memory that the device also changes
 * for peers. The device's atomic operations are not atomic with respect to the processor's, so all changes must go
 * through the device.
 *
 * <p>Operations wait in a queue until the connection is established and its window has room. Queue entries are reused,
 * so an operation allocates nothing once enough entries exist.
 *
 * <p><b>Thread-safety:</b> any thread may use it; this object's lock protects the connection's sending side. The lock
 * is not held while a result is reported. <b>Ownership:</b> the connection ends with the transport.
 *
 * <p><b>Source:</b> KafkaDirect, where the broker also sends RDMA atomics to itself.
 */
final class RdmaSelf {
    private static final Logger LOGGER = LoggerFactory.getLogger(RdmaSelf.class);

    private final List<Request> requests = new ArrayList<>();
    private final Queue<Request> free = new ArrayDeque<>();
    private final Queue<Request> waiting = new ArrayDeque<>();
    private TransportConnection connection;
    private Throwable failure;
    private boolean closed;

    private RdmaSelf() {}

    /** Starts connecting to an address of this NIC. Does not block. */
    static RdmaSelf open(Transport transport, InetAddress address) {
        RdmaSelf self = new RdmaSelf();
        TransportListener listener = transport.listen(new InetSocketAddress(address, 0), FarEnd::new);
        transport.connect(listener.address(), self::established).whenComplete((connected, cause) -> {
            listener.close();
            if (cause != null) {
                self.end(new TransportException(Code.CLOSED, "cannot connect to this NIC: " + cause, cause));
            }
        });
        return self;
    }

    private synchronized TransportHandler established(TransportConnection established) {
        connection = established;
        post();
        return new NearEnd();
    }

    /** An entry of the queue: a waiting or outstanding operation, or a free entry. */
    private final class Request {
        private final int number;
        private RemoteBuffer remote;
        private long offset;
        private boolean swaps;
        private long operand;
        private long expected;
        private LongConsumer before;

        Request(int number) {
            this.number = number;
        }

        PostResult post() {
            return swaps
                    ? connection.compareSwap(remote, offset, expected, operand, number)
                    : connection.fetchAdd(remote, offset, operand, number);
        }
    }

    /**
     * Returns an object for changing a word.
     *
     * @param memory the registered memory of this NIC
     * @throws IllegalArgumentException if no word can start at this offset, or if the region is read-only
     */
    AtomicWord word(RdmaMemory memory, Region region, long offset) {
        AtomicWord value = AtomicWord.ofProcessor(region, offset);
        RdmaMemory.Registration registration = memory.ownWords(region.slab());
        RemoteAccess access = new RemoteAccess(registration.base(), registration.key());
        return new Word(
                value,
                new RdmaRemoteBuffer(access, region.slab().length(), 1),
                region.address() - region.slab().address() + offset);
    }

    private final class Word implements AtomicWord {
        private final AtomicWord value;
        private final RemoteBuffer remote;
        private final long offset;

        Word(AtomicWord value, RemoteBuffer remote, long offset) {
            this.value = value;
            this.remote = remote;
            this.offset = offset;
        }

        @Override
        public long value() {
            return value.value();
        }

        @Override
        public void fetchAdd(long addend, LongConsumer before) {
            request(remote, offset, addend, before);
        }

        @Override
        public void compareSwap(long expected, long desired, LongConsumer before) {
            request(remote, offset, expected, desired, before);
        }
    }

    private synchronized void request(RemoteBuffer remote, long offset, long addend, LongConsumer before) {
        Request request = free();
        request.swaps = false;
        begin(request, remote, offset, addend, before);
    }

    private synchronized void request(
            RemoteBuffer remote, long offset, long expected, long desired, LongConsumer before) {
        Request request = free();
        request.swaps = true;
        request.expected = expected;
        begin(request, remote, offset, desired, before);
    }

    private Request free() {
        if (failure != null) {
            throw new TransportException(Code.CLOSED, "the NIC is not connected with itself: " + failure, failure);
        }
        Request request = free.poll();
        if (request == null) {
            request = new Request(requests.size());
            requests.add(request);
        }
        return request;
    }

    private void begin(Request request, RemoteBuffer remote, long offset, long operand, LongConsumer before) {
        request.remote = remote;
        request.offset = offset;
        request.operand = operand;
        request.before = before;
        waiting.add(request);
        post();
    }

    private void post() {
        while (connection != null && !closed && !waiting.isEmpty()) {
            if (waiting.peek().post() != PostResult.POSTED) {
                return;
            }
            waiting.remove();
        }
    }

    private void completed(int number, long before) {
        LongConsumer receiver;
        synchronized (this) {
            Request request = requests.get(number);
            receiver = request.before;
            request.before = null;
            free.add(request);
        }
        try {
            receiver.accept(before);
        } catch (RuntimeException | Error e) {
            // All words of the NIC depend on this connection, so an exception in one callback must not end it.
            LOGGER.error("The callback of an atomic operation failed", e);
        }
    }

    private synchronized void goOn() {
        if (!closed) {
            connection.progress();
            post();
        }
    }

    /** Ends the connection. Later attempts to change a word fail. */
    private synchronized void end(TransportException cause) {
        if (failure == null) {
            failure = cause;
        }
        if (connection != null && !closed) {
            closed = true;
            connection.close();
        }
    }

    /** One end of the connection, which carries only atomic operations. */
    private abstract static class End implements TransportHandler {
        @Override
        public void place(int immediate, int length, Vecs into) {
            throw new IllegalStateException("the receiver does not place");
        }

        @Override
        public void arrived(int immediate, int length) {
            throw new IllegalStateException("neither end writes");
        }

        @Override
        public void arrivalsEnd() {
            // Nothing arrives.
        }

        @Override
        public void control(ByteBuffer message) {
            throw new IllegalStateException("neither end sends messages");
        }

        @Override
        public void completed(int count) {
            writable();
        }

        @Override
        public void writable() {
            // Only one end posts operations.
        }

        @Override
        public void peerFinished() {
            // Neither end ever finishes.
        }

        @Override
        public void closed() {
            // The end of the connection has already been reported.
        }
    }

    /** The end that posts operations. */
    private final class NearEnd extends End {
        @Override
        public void atomicCompleted(long context, long before) {
            RdmaSelf.this.completed((int) context, before);
        }

        @Override
        public void writable() {
            goOn();
        }

        @Override
        public void failed(TransportException cause) {
            end(cause);
        }
    }

    /** The passive end. */
    private static final class FarEnd extends End {
        private final TransportConnection connection;

        FarEnd(TransportConnection connection) {
            this.connection = connection;
        }

        @Override
        public void failed(TransportException cause) {
            connection.close();
        }
    }
}
