package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.ReadRequest;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.TransportListener;
import io.rocketbufs.rocketnet.WriteRequest;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that neither the thread that posts an operation nor the threads that read and handle its completion allocate
 * objects.
 */
@Timeout(600)
final class RdmaAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int CAPACITY = 1 << 20;
    private static final double NOTHING = 0.5;

    private interface Operation {
        PostResult post(CountingHandler from);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldAllocateNothingForInjectedWrites(int threads) throws Exception {
        assertThat(bytesPerOperation(threads, 64, 20_000, CountingHandler::write))
                .isLessThan(NOTHING);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldAllocateNothingForWritesThatHaveToComplete(int threads) throws Exception {
        assertThat(bytesPerOperation(threads, 10_000, 5_000, CountingHandler::write))
                .isLessThan(NOTHING);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldAllocateNothingForControlMessages(int threads) throws Exception {
        assertThat(bytesPerOperation(threads, 60, 20_000, CountingHandler::send))
                .isLessThan(NOTHING);
        assertThat(bytesPerOperation(threads, 900, 5_000, CountingHandler::send))
                .isLessThan(NOTHING);
        assertThat(bytesPerOperation(threads, 5_000, 2_000, CountingHandler::send))
                .isLessThan(NOTHING);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldAllocateNothingForReads(int threads) throws Exception {
        assertThat(bytesPerOperation(threads, 64, 10_000, CountingHandler::read))
                .isLessThan(NOTHING);
        assertThat(bytesPerOperation(threads, 10_000, 5_000, CountingHandler::read))
                .isLessThan(NOTHING);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    @Tag("slow")
    void shouldAllocateNothingForAtomicOperations(int threads) throws Exception {
        String settings = "provider = sockets, num-threads = " + threads;
        assertThat(bytesPerOperation(settings, 8, 2_000, CountingHandler::fetchAdd))
                .isLessThan(NOTHING);
        assertThat(bytesPerOperation(settings, 8, 2_000, CountingHandler::compareSwap))
                .isLessThan(NOTHING);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldAllocateNothingForWords(int threads) throws Exception {
        assertThat(bytesPerOperation(threads, 1, 20_000, CountingHandler::writeWord))
                .isLessThan(NOTHING);
    }

    /**
     * Returns the number of bytes that all threads of both ends allocate per operation, in the best of several rounds.
     * The best round excludes allocations that do not occur with every operation. Stops after the first round in which
     * most operations allocate nothing.
     */
    private static double bytesPerOperation(int threads, int length, int count, Operation operation) throws Exception {
        return bytesPerOperation("num-threads = " + threads, length, count, operation);
    }

    private static double bytesPerOperation(String settings, int length, int count, Operation operation)
            throws Exception {
        double best = Double.MAX_VALUE;
        try (MemoryPool memory = new MemoryPool(4 << 20);
                Transport transport =
                        new RdmaTransportProvider().open(RdmaEnds.config(ConfigFactory.load(), settings))) {
            CountingHandler receiver = new CountingHandler(memory, length);
            TransportListener listener = transport.listen(RdmaEnds.loopback(0), receiver::of);
            CountingHandler sender = new CountingHandler(memory, length);
            transport.connect(listener.address(), sender::of).get(60, TimeUnit.SECONDS);
            RdmaRecordingHandler.await().until(() -> receiver.connection != null);
            sender.writingTo(receiver);
            long[] ids = threads();
            for (int round = 0; round < 8 && best >= NOTHING; round++) {
                long expected = seen(sender, receiver) + count;
                long before = allocated(ids);
                sender.post(operation, count);
                while (seen(sender, receiver) < expected) {
                    sender.goOn();
                }
                best = Math.min(best, (double) (allocated(ids) - before) / count);
            }
            listener.close();
        }
        return best;
    }

    private static long seen(CountingHandler sender, CountingHandler receiver) {
        return receiver.seen() + sender.fetched;
    }

    /** Returns the ids of the test's thread and of the transport's threads. */
    private static long[] threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("rocketnet-rdma-") || thread == Thread.currentThread())
                .mapToLong(Thread::getId)
                .toArray();
    }

    private static long allocated(long[] threads) {
        long sum = 0;
        for (long bytes : THREADS.getThreadAllocatedBytes(threads)) {
            sum += Math.max(0, bytes);
        }
        return sum;
    }

    /**
     * A handler that posts from one half of a region while the peer writes to the other half. It only counts the
     * events.
     */
    private static final class CountingHandler implements TransportHandler {
        private final int length;
        private final Region region;
        private final ByteBuffer window;
        private final WriteRequest request = new WriteRequest(2);
        private final ReadRequest readRequest = new ReadRequest();
        private final ByteBuffer message;
        private volatile TransportConnection connection;
        private RemoteAccess access;
        private LentWord word;
        private RemoteAccess peersWord;
        private RemoteBuffer target;
        private long wordValue;
        private volatile boolean writable;
        private volatile long arrivals;
        private volatile long fetched;

        CountingHandler(MemoryPool memory, int length) {
            this.length = length;
            region = memory.allocate(CAPACITY);
            window = region.window(0, CAPACITY);
            message = ByteBuffer.allocate(length);
        }

        CountingHandler of(TransportConnection connection) {
            Set<Right> rights = Stream.of(Right.values())
                    .filter(connection.capabilities()::offers)
                    .collect(Collectors.toSet());
            access = connection.grant(region, 0, CAPACITY / 2, rights);
            word = connection.lendWord();
            this.connection = connection;
            return this;
        }

        void writingTo(CountingHandler other) {
            target = connection.remoteBuffer(other.access, CAPACITY / 2);
            peersWord = other.word.access();
        }

        PostResult write() {
            request.set(region, target, 0, 1);
            int from = CAPACITY / 2;
            request.vecs().add(window, from + 1000, length / 2, region.address() + from + 1000);
            request.vecs().add(window, from, length - length / 2, region.address() + from);
            return connection.write(request);
        }

        PostResult read() {
            return connection.read(readRequest.set(region, CAPACITY / 2, length, target, 0));
        }

        PostResult fetchAdd() {
            return connection.fetchAdd(target, 0, 1, 0);
        }

        PostResult compareSwap() {
            return connection.compareSwap(target, 0, 0, 1, 0);
        }

        @Override
        public void readCompleted(long context) {
            fetched++;
        }

        @Override
        public void atomicCompleted(long context, long before) {
            fetched++;
        }

        PostResult send() {
            message.clear();
            return connection.send(message);
        }

        PostResult writeWord() {
            PostResult result = connection.writeWord(peersWord, wordValue + 1);
            wordValue += result == PostResult.SENT ? 1 : 0;
            return result;
        }

        void post(Operation operation, int count) {
            for (int i = 0; i < count; i++) {
                while (operation.post(this) == PostResult.NO_WINDOW) {
                    goOn();
                }
            }
            connection.progress();
        }

        /** Waits briefly, and continues sending committed operations. */
        void goOn() {
            LockSupport.parkNanos(10_000);
            if (writable) {
                writable = false;
                connection.progress();
            }
        }

        long seen() {
            return arrivals + word.value();
        }

        @Override
        public void place(int immediate, int length, Vecs into) {
            throw new AssertionError("place() was called, although the sender chooses the place");
        }

        @Override
        public void arrived(int immediate, int length) {
            arrivals++;
        }

        @Override
        public void arrivalsEnd() {}

        @Override
        public void control(ByteBuffer message) {
            arrivals++;
        }

        @Override
        public void completed(int count) {
            writable = true;
        }

        @Override
        public void writable() {
            writable = true;
        }

        @Override
        public void peerFinished() {}

        @Override
        public void failed(TransportException cause) {
            connection.close();
        }

        @Override
        public void closed() {}
    }
}
