package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.RemoteMemory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.Segment;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.Posted;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.BatchFrameLayout;
import io.rocketbufs.rocketlog.protocol.LeaseMessageLayout;
import io.rocketbufs.rocketlog.protocol.LeaseMode;
import io.rocketbufs.rocketlog.protocol.LogGreetingLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageType;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import io.rocketbufs.rocketlog.protocol.ProduceMessageLayout;
import io.rocketbufs.rocketlog.record.BatchBuilder;
import io.rocketbufs.rocketnet.TransportException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A client that can send arbitrary messages and batches, unlike a correct producer. */
final class RawProducer implements AutoCloseable {
    static final int BUFFER = 1;

    final BlockingQueue<ByteBuffer> answers = new LinkedBlockingQueue<>();
    final List<Long> results = new CopyOnWriteArrayList<>();
    volatile Throwable end;
    private final MemoryPool pool = new MemoryPool(1 << 20);
    private final ROut out;
    private final Connection connection;
    private volatile RIn in;

    RawProducer(RocketBufs rocketBufs, InetSocketAddress broker) {
        this(rocketBufs, broker, LogGreetingLayout.write("raw"));
    }

    RawProducer(RocketBufs rocketBufs, InetSocketAddress broker, byte[] greeting) {
        out = new ROut(rocketBufs);
        createBuffer(BUFFER);
        connection = rocketBufs
                .connect(
                        broker,
                        ConnectOptions.as(Role.PEER, made -> {
                                    made.setControlMessageCallback(
                                            message -> answers.add(ByteBuffer.allocate(message.remaining())
                                                    .put(message.duplicate())
                                                    .flip()));
                                    made.setCloseCallback(failure ->
                                            end = failure == null ? new Exception("closed gracefully") : failure);
                                    in = new RIn(made);
                                    in.setDataInCallback((id, data) -> {
                                        for (long i = 0; i < data.length(); i += AppendResult.LENGTH) {
                                            results.add(data.getLong(i));
                                        }
                                        in.dataConsumed(id, data.length());
                                    });
                                    out.addConnection(made);
                                })
                                .withGreeting(greeting))
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }

    Connection connection() {
        return connection;
    }

    /** Blocks the connection's worker until the latch opens, which simulates an unresponsive client. */
    void occupyUntil(CountDownLatch ended) {
        connection.execute(() -> {
            try {
                ended.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Announces the producer, and subscribes to its results. Returns the broker's response. */
    ByteBuffer announce(String topic) {
        ByteBuffer answer = ask(ProduceMessageLayout.produce(1, BUFFER, topic));
        subscribe();
        return answer;
    }

    void subscribe() {
        in.subscribe(BUFFER, 4096).orTimeout(60, TimeUnit.SECONDS).join();
    }

    ByteBuffer ask(ByteBuffer question) {
        connection.sendControlMessage(question);
        await().atMost(60, TimeUnit.SECONDS).until(() -> !answers.isEmpty() || end != null);
        return answers.remove();
    }

    /** Sends a frame with a correct length field. */
    void send(int partition, ByteBuffer batch) {
        send(partition, batch.remaining(), batch);
    }

    void send(int partition, int length, ByteBuffer content) {
        ByteBuffer frame = ByteBuffer.allocate(BatchFrameLayout.BATCH + content.remaining())
                .putInt(partition)
                .putInt(length)
                .put(content.duplicate())
                .flip();
        deliver(frame);
    }

    void deliver(ByteBuffer bytes) {
        Segment segment = out.getOutputSegment(BUFFER, bytes.remaining(), true);
        segment.put(0, bytes, bytes.position(), bytes.remaining());
        out.deliver(segment, segment.length());
    }

    /** Requests an exclusive lease for batches with the producer id 1, and returns the response. */
    ByteBuffer acquire(int partition) {
        return acquire(partition, LeaseMode.EXCLUSIVE);
    }

    /** Requests a lease for batches with the producer id 1, and returns the response. */
    ByteBuffer acquire(int partition, LeaseMode mode) {
        return acquire(partition, mode, 1);
    }

    ByteBuffer acquire(int partition, LeaseMode mode, long producerId) {
        return ask(LeaseMessageLayout.acquire(7, BUFFER, partition, mode, producerId));
    }

    /**
     * Requests a shared lease, which the broker must refuse for a short time.
     *
     * @param earliestNs a time at or before which the broker began to refuse requests; the response is checked only if
     *     the broker must still refuse them
     */
    void assertMayNotShareNow(int partition, long earliestNs) {
        ByteBuffer answer = acquire(partition, LeaseMode.SHARED);
        if (System.nanoTime() - earliestNs < LogPartition.SHARE_AGAIN_NS) {
            assertThat(LogMessageLayout.type(answer)).isEqualTo(LogMessageType.REFUSED);
            assertThat(LogMessageLayout.refusal(answer)).isEqualTo(LogRefusal.NOT_NOW);
        }
    }

    /** Requests a lease, and returns the response, or null if the connection has ended. */
    ByteBuffer acquireOrNull(int partition, LeaseMode mode) {
        try {
            return acquire(partition, mode);
        } catch (TransportException | NoSuchElementException e) {
            return null;
        }
    }

    /**
     * Performs an action on the memory that an ACQUIRED message grants. Returns false if the broker has already revoked
     * it.
     */
    boolean actWith(ByteBuffer acquired, Consumer<Written> action) {
        try {
            action.accept(open(acquired));
            return true;
        } catch (TransportException e) {
            if (e.code() != TransportException.Code.CLOSED) {
                throw e;
            }
            return false;
        }
    }

    /** Acquires an exclusive lease of a partition, which the broker must grant. */
    Written lease(int partition) {
        return lease(partition, LeaseMode.EXCLUSIVE, 1);
    }

    /** Acquires a shared lease of a partition for batches with the producer id 1. */
    Written share(int partition) {
        return share(partition, 1);
    }

    Written share(int partition, long producerId) {
        return lease(partition, LeaseMode.SHARED, producerId);
    }

    private Written lease(int partition, LeaseMode mode, long producerId) {
        ByteBuffer answer = acquire(partition, mode, producerId);
        if (LogMessageLayout.type(answer) != LogMessageType.ACQUIRED) {
            throw new AssertionError(LogMessageLayout.reason(answer));
        }
        return open(answer);
    }

    /** Returns the memory that an ACQUIRED message grants. */
    Written open(ByteBuffer acquired) {
        return new Written(LeaseMessageLayout.acquiredGrant(acquired), LeaseMessageLayout.acquiredWord(acquired));
    }

    /** The granted memory of a log, with the producer's position in it. */
    final class Written implements RemoteMemoryCallback {
        final RemoteMemory memory;
        /** The order word; null if the lease is exclusive. */
        final RemoteMemory word;

        final BlockingQueue<Long> words = new LinkedBlockingQueue<>();
        volatile boolean isRevoked;
        private long position;
        private int number;

        private Written(ByteBuffer grant, ByteBuffer wordGrant) {
            memory = connection.remoteMemory(grant, this);
            word = wordGrant == null ? null : connection.remoteMemory(wordGrant, this);
        }

        /**
         * Adds to the order word, and returns its previous value.
         *
         * @throws TransportException with the code CLOSED if the broker has ended the lease or the connection
         */
        long add(long addend) {
            requirePosted(word.fetchAdd(0, addend, 0));
            try {
                Long before = null;
                while (before == null && end == null) {
                    before = words.poll(100, TimeUnit.MILLISECONDS);
                }
                requirePosted(before == null ? Posted.CLOSED : Posted.POSTED);
                return before;
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Sends a batch through the buffer, and waits until the broker has copied it into the memory. */
        void copy(ByteBuffer batch) {
            long before = appendedCount();
            send(0, batch);
            await().atMost(60, TimeUnit.SECONDS).until(() -> appendedCount() > before || end != null);
            requirePosted(isRevoked || end != null ? Posted.CLOSED : Posted.POSTED);
        }

        private long appendedCount() {
            return results.stream().filter(result -> result >= 0).count();
        }

        /**
         * Writes bytes at any offset as {@link #write(long, int, ByteBuffer)} does, but throws an exception as
         * {@link #add} does.
         */
        void mustWrite(long offset, int withNumber, ByteBuffer bytes) {
            requirePosted(write(offset, withNumber, bytes));
        }

        private static void requirePosted(Posted posted) {
            if (posted == Posted.CLOSED) {
                throw new TransportException(TransportException.Code.CLOSED, "the lease has ended");
            }
            assertThat(posted).isEqualTo(Posted.POSTED);
        }

        /** Reserves a place for a batch. Returns the previous value of the order word. */
        long reserve(ByteBuffer batch) {
            return add(OrderWordLayout.reservation(batch.remaining()));
        }

        /** Writes a batch to its reserved place. */
        Posted writeTo(long reserved, ByteBuffer batch) {
            return write(OrderWordLayout.position(reserved), OrderWordLayout.order(reserved), batch);
        }

        /** Writes a batch after the previous batch. Returns false if the broker has already ended the lease. */
        boolean write(ByteBuffer batch) {
            Posted posted = write(position, number, batch);
            while (posted == Posted.NO_WINDOW) {
                Thread.onSpinWait();
                posted = write(position, number, batch);
            }
            number++;
            position += batch.remaining();
            return posted == Posted.POSTED;
        }

        /** Writes bytes at any offset. Returns the result of posting the write. */
        Posted write(long offset, int withNumber, ByteBuffer bytes) {
            Region region = pool.allocate(Math.max(1, bytes.remaining()));
            region.window(0, bytes.remaining()).put(0, bytes, bytes.position(), bytes.remaining());
            Posted posted = memory.write(region, 0, bytes.remaining(), offset, withNumber);
            region.release(); // a posted operation holds its own lease
            return posted;
        }

        @Override
        public void onCompleted(long context, long value) {
            words.add(value);
        }

        @Override
        public void onRevoked() {
            isRevoked = true;
        }
    }

    void awaitResults(int count) {
        await().atMost(60, TimeUnit.SECONDS).until(() -> results.size() >= count || end != null);
    }

    static void assertRefused(ByteBuffer answer, LogRefusal kind, String reason) {
        assertThat(LogMessageLayout.type(answer)).isEqualTo(LogMessageType.REFUSED);
        assertThat(LogMessageLayout.refusal(answer)).isEqualTo(kind);
        assertThat(LogMessageLayout.reason(answer)).contains(reason, "; ");
    }

    /** Returns a batch with one record for each value. */
    static ByteBuffer batch(long producerId, int epoch, int sequence, String... values) {
        return batch(System.currentTimeMillis(), producerId, epoch, sequence, values);
    }

    static ByteBuffer batch(long timestamp, long producerId, int epoch, int sequence, String... values) {
        ByteBuffer buffer = ByteBuffer.allocate(64 << 10);
        BatchBuilder builder = new BatchBuilder().begin(buffer).producer(producerId, (short) epoch, sequence);
        for (String value : values) {
            builder.add(timestamp, null, ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8)));
        }
        builder.finish();
        return buffer.flip();
    }

    /** Creates a buffer for the batches of a producer. */
    void createBuffer(int id) {
        out.createBuffer(id, 4 << 20);
    }

    /** Removes the buffer for the batches. */
    void endBuffer() {
        out.removeBuffer(BUFFER);
    }

    /** Creates the buffer for the batches again, as soon as the broker no longer uses the previous buffer. */
    void createBufferAgain() {
        await().atMost(60, TimeUnit.SECONDS)
                .ignoreException(IllegalStateException.class)
                .untilAsserted(() -> createBuffer(BUFFER));
    }

    @Override
    public void close() {
        out.close();
        connection.close();
        connection.closed().orTimeout(60, TimeUnit.SECONDS).join();
        pool.close();
    }
}
