package io.rocketbufs.rocketnet.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.rocketnet.TransportListener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests of connection attempts for which the operating system does not provide the memory. One side's channel exceeds a
 * limit of this process; the other side's channel does not. The connection timeout is so long that an attempt that
 * waits for it does not end.
 */
@Tag("once")
@Timeout(600)
final class ShmShortMemoryTest {
    private static final long LIMIT_S = 500;
    private static final String PATIENT = "num-threads = 1, connect-timeout = 1 h";
    private static final String SHORT = PATIENT + ", channel-length = " + ShmLayout.SHORTEST_CHANNEL;

    /** A limit of this process. */
    private enum Limit {
        /** {@code ulimit -f}, which also applies to memory without a file. */
        FILE_LENGTH(
                1, 1 << 20, "cannot be allocated: File too large (errno 27); raise the limit on the length of files"),
        /** {@code ulimit -v}. The limit leaves the JVM some address space. */
        ADDRESS_SPACE(9, 64 << 20, "cannot be mapped: Cannot allocate memory (errno 12); raise the limit on memory");

        private final int number;
        private final int channelLength;
        private final String reason;

        Limit(int number, int channelLength, String reason) {
            this.number = number;
            this.channelLength = channelLength;
            this.reason = reason;
        }

        /** Returns the keys of a transport whose channel exceeds the limit. */
        String keys() {
            return PATIENT + ", channel-length = " + channelLength;
        }

        String message() {
            return ShmLayout.memoryLength(channelLength) + " bytes " + reason;
        }

        /** Waits for the result of a connection attempt while this process has three quarters of the memory. */
        Throwable failure(Transport transport, InetSocketAddress address) throws IOException {
            ByteBuffer limit = ShmCalls.block(2 * Long.BYTES);
            ShmCalls.of("getrlimit").call(number, ShmCalls.address(limit));
            long usual = limit.getLong(0);
            ShmCalls set = ShmCalls.of("setrlimit");
            long used = this == ADDRESS_SPACE ? addressSpace() : 0;
            limit.putLong(0, used + channelLength / 4 * 3);
            set.check(set.call(number, ShmCalls.address(limit)));
            try {
                return catchThrowable(() -> transport.connect(address, End::new).get(LIMIT_S, TimeUnit.SECONDS));
            } finally {
                limit.putLong(0, usual);
                set.check(set.call(number, ShmCalls.address(limit)));
            }
        }

        private static long addressSpace() throws IOException {
            String pages = Files.readString(Path.of("/proc/self/statm")).split(" ")[0];
            return Long.parseLong(pages) * (int) ShmCalls.of("getpagesize").call();
        }
    }

    /** An end that closes its connection after a failure. */
    private static class End extends ShmIgnoringHandler {
        private final TransportConnection connection;

        End(TransportConnection connection) {
            this.connection = connection;
        }

        @Override
        public void failed(TransportException cause) {
            connection.close();
        }
    }

    private final Deque<Transport> transports = new ArrayDeque<>();
    private final AtomicInteger received = new AtomicInteger();

    @AfterEach
    void close() {
        transports.forEach(Transport::close);
    }

    private Transport open(String keys) {
        transports.push(new ShmTransportProvider().open(ShmEnds.config(ConfigFactory.load(), keys)));
        return transports.peek();
    }

    private TransportListener listen(Transport transport) {
        return transport.listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), connection -> new End(connection) {
                    @Override
                    public void control(ByteBuffer message) {
                        received.incrementAndGet();
                    }
                });
    }

    private static TransportConnection connected(Transport transport, TransportListener listener) throws Exception {
        return transport.connect(listener.address(), End::new).get(LIMIT_S, TimeUnit.SECONDS);
    }

    private void assertDelivers(TransportConnection connection) {
        int before = received.get();
        assertThat(connection.send(ShmCalls.block(8))).isEqualTo(PostResult.SENT);
        await().until(() -> received.get() == before + 1);
    }

    /** Asserts that an attempt fails, that it leaves nothing behind, and that other connections are not affected. */
    private void assertFailsAlone(Limit limit, Transport connecting, TransportListener listener, Code code, String text)
            throws Exception {
        TransportConnection existing = connected(open(SHORT), listener);
        assertDelivers(existing);
        long descriptors = ShmEnds.descriptors();
        long mappings = ShmEnds.mappings();
        Throwable failure = limit.failure(connecting, listener.address());
        assertThat(failure)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(TransportException.class, cause -> {
                    assertThat(cause.code()).isEqualTo(code);
                    assertThat(cause)
                            .hasMessageContaining(text + limit.message())
                            .hasMessageEndingWith("or lower rocketbufs.shm.channel-length");
                });
        await().until(() -> ShmEnds.descriptors() == descriptors && ShmEnds.mappings() == mappings);
        assertDelivers(existing);
        assertDelivers(connected(connecting, listener));
    }

    @Test
    void shouldFailAtOnceWhenTheCallerHasNoMemory() throws Exception {
        failWithoutMemoryOfTheCaller(Limit.FILE_LENGTH);
    }

    @Test
    void shouldTellTheCallerAtOnceWhenTheListenerHasNoMemory() throws Exception {
        failWithoutMemoryOfTheListener(Limit.FILE_LENGTH);
    }

    /** Tagged slow because the JVM itself may need address space while the limit is in force. */
    @Test
    @Tag("slow")
    void shouldFailAtOnceWhenThereIsNoAddressSpace() throws Exception {
        failWithoutMemoryOfTheCaller(Limit.ADDRESS_SPACE);
        failWithoutMemoryOfTheListener(Limit.ADDRESS_SPACE);
    }

    private void failWithoutMemoryOfTheCaller(Limit limit) throws Exception {
        try (TransportListener listener = listen(open(SHORT))) {
            assertFailsAlone(
                    limit,
                    open(limit.keys()),
                    listener,
                    Code.RESOURCES,
                    "connect to localhost:" + listener.address().getPort() + ": ");
        }
    }

    private void failWithoutMemoryOfTheListener(Limit limit) throws Exception {
        try (TransportListener listener = listen(open(limit.keys()))) {
            assertFailsAlone(limit, open(SHORT), listener, Code.REFUSED, "refused by the listener: ");
        }
    }
}
