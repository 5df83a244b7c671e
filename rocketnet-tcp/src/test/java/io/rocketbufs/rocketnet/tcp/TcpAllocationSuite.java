package io.rocketbufs.rocketnet.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import com.typesafe.config.Config;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.TransportListener;
import io.rocketbufs.rocketnet.WriteRequest;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that neither the thread that writes a message nor the worker that reads it allocates objects. With NIO, the
 * selector allocates a few objects when one thread waits for another.
 */
@Timeout(600)
abstract class TcpAllocationSuite {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final String io;
    private final double bytesPerSmallWrite;
    private final double bytesPerLargeWrite;

    /**
     * Creates a test with the maximum number of bytes that a write may allocate. A limit of 0.5 leaves room for
     * occasional allocations and for allocations at startup.
     */
    TcpAllocationSuite(String io, double bytesPerSmallWrite, double bytesPerLargeWrite) {
        this.io = io;
        this.bytesPerSmallWrite = bytesPerSmallWrite;
        this.bytesPerLargeWrite = bytesPerLargeWrite;
    }

    @Test
    void shouldAllocateNothingForSmallWrites() throws Exception {
        assertThat(bytesPerWrite(64, 20_000, bytesPerSmallWrite)).isLessThan(bytesPerSmallWrite);
    }

    @Test
    void shouldAllocateNothingForLargeWritesThatHaveToWait() throws Exception {
        assertThat(bytesPerWrite(200_000, 500, bytesPerLargeWrite)).isLessThan(bytesPerLargeWrite);
    }

    /** Opens the transport. */
    Transport open(Config config) {
        return new TcpTransportProvider().open(config);
    }

    /**
     * Returns the number of bytes that the sender and the worker allocate per write, in the best of several rounds. The
     * best round excludes allocations that do not occur with every write. Stops after the first round that allocates
     * less than {@code limit}.
     */
    private double bytesPerWrite(int length, int count, double limit) throws Exception {
        double best = Double.MAX_VALUE;
        try (Transport transport = open(TcpEnds.config(io, "num-threads = 1"))) {
            CountingHandler receiver = new CountingHandler();
            TransportListener listener = transport.listen(TcpEnds.loopback(0), receiver::of);
            CountingHandler handler = new CountingHandler();
            TransportConnection connection =
                    transport.connect(listener.address(), handler::of).get(60, TimeUnit.SECONDS);
            CompletableFuture<Long> worker = new CompletableFuture<>();
            connection
                    .worker()
                    .execute(() -> worker.complete(Thread.currentThread().getId()));
            WriteRequest request = handler.request(length);
            for (int round = 0; round < 6 && best >= limit; round++) {
                long arrivals = receiver.arrivals + count;
                long before = allocated(worker.get());
                handler.write(request, count);
                receiver.await(arrivals);
                best = Math.min(best, (double) (allocated(worker.get()) - before) / count);
            }
        }
        return best;
    }

    private static long allocated(long worker) {
        return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId())
                + THREADS.getThreadAllocatedBytes(worker);
    }

    /** A handler that sends from one region, receives into another, and only counts the arrivals. */
    private static final class CountingHandler implements TransportHandler {
        private final Region region = new MemoryPool(1 << 20).allocate(TcpFrameLayout.LONGEST_WRITE);
        private final ByteBuffer window = region.window(0, TcpFrameLayout.LONGEST_WRITE);
        private TransportConnection connection;
        private volatile boolean writable;
        volatile long arrivals;

        CountingHandler of(TransportConnection connection) {
            this.connection = connection;
            return this;
        }

        WriteRequest request(int length) {
            WriteRequest request = new WriteRequest(TcpSocket.VECS_PER_WRITE).set(region, null, 0, 1);
            request.vecs().add(window, 1000, length / 2, region.address() + 1000);
            request.vecs().add(window, 0, length - length / 2, region.address());
            return request;
        }

        void write(WriteRequest request, int count) {
            for (int i = 0; i < count; i++) {
                PostResult result = connection.write(request);
                while (result == PostResult.NO_WINDOW) {
                    awaitWritable();
                    result = connection.write(request);
                }
                if (result == PostResult.POSTED) {
                    awaitWritable();
                    while (connection.progress() == 0) {
                        awaitWritable();
                    }
                }
            }
        }

        private void awaitWritable() {
            while (!writable) {
                Thread.onSpinWait();
            }
            writable = false;
        }

        void await(long count) {
            while (arrivals < count) {
                LockSupport.parkNanos(10_000);
            }
        }

        @Override
        public void place(int immediate, int length, Vecs into) {
            into.add(window, 0, length, region.address());
        }

        @Override
        public void arrived(int immediate, int length) {
            arrivals++;
        }

        @Override
        public void arrivalsEnd() {}

        @Override
        public void control(ByteBuffer message) {}

        @Override
        public void completed(int count) {}

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
