package io.rocketbufs.rocketnet.shm;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportListener;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of a connection whose peer writes data to shared memory that a correct peer never writes. */
@Timeout(600)
final class ShmHostilePeerTest {
    private static final int CHANNEL = ShmLayout.SHORTEST_CHANNEL;

    private Transport transport;
    private Peer hostile;
    private Peer innocent;

    @BeforeEach
    void connect() throws Exception {
        transport = new ShmTransportProvider()
                .open(ShmEnds.config(ConfigFactory.load(), "num-threads = 1, channel-length = 256 KiB"));
        innocent = new Peer();
        hostile = new Peer();
    }

    @AfterEach
    void close() {
        hostile.close();
        innocent.close();
        transport.close();
    }

    /** A bare socket with both memory areas, and the events on the transport's side of its connection. */
    private final class Peer extends ShmIgnoringHandler {
        private final CompletableFuture<TransportConnection> accepted = new CompletableFuture<>();
        private final CompletableFuture<TransportException> failed = new CompletableFuture<>();
        private final CompletableFuture<Void> closed = new CompletableFuture<>();
        private final CompletableFuture<Integer> received = new CompletableFuture<>();
        private final ByteBuffer placed = ByteBuffer.allocateDirect(ShmLayout.LONGEST_WRITE);
        private final ShmSocket socket = ShmSocket.open();
        private final TransportListener listener;
        /** The memory through which the transport's side receives. */
        private final ShmMemory toTransport;

        private final ShmMemory fromTransport;

        Peer() throws Exception {
            listener = transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), connection -> {
                accepted.complete(connection);
                return this;
            });
            socket.connect(ShmEnds.directory()
                    .resolve(listener.address().getPort() + ".sock")
                    .toString());
            int own = ShmMemory.create(CHANNEL);
            fromTransport = ShmMemory.map(own, CHANNEL);
            socket.send(ShmGreeting.accepting(CHANNEL, 0).encode(), own);
            ShmSocket.closeDescriptor(own);
            ByteBuffer packet = ShmCalls.block(ShmGreeting.MAX_LENGTH);
            ShmSocket.Packet answer = Awaitility.await().until(() -> socket.receive(packet), Objects::nonNull);
            toTransport = ShmMemory.map(answer.descriptor(), CHANNEL);
            ShmSocket.closeDescriptor(answer.descriptor());
            accepted.get(60, TimeUnit.SECONDS);
        }

        /** Publishes a produced position and wakes the transport's side. */
        void produced(long position) {
            toTransport.publish(ShmLayout.PRODUCED, position);
            socket.wake();
        }

        void awaitViolation(String message) throws Exception {
            TransportException failure = failed.get(60, TimeUnit.SECONDS);
            assertThat(failure.code()).isEqualTo(TransportException.Code.PROTOCOL);
            assertThat(failure).hasMessageContaining(message);
            closed.get(60, TimeUnit.SECONDS);
        }

        void close() {
            listener.close();
            socket.close();
            toTransport.unmap();
            fromTransport.unmap();
        }

        @Override
        public void place(int immediate, int length, Vecs into) {
            into.add(placed, 0, length, 0);
        }

        @Override
        public void arrived(int immediate, int length) {
            received.complete(length);
        }

        @Override
        public void control(ByteBuffer message) {
            received.complete(message.remaining());
        }

        @Override
        public void failed(TransportException cause) {
            failed.complete(cause);
            accepted.join().close();
        }

        @Override
        public void closed() {
            closed.complete(null);
        }
    }

    /** Asserts that a write arrives over another connection that the same worker serves. */
    private void assertOthersAreServed() throws Exception {
        ShmLayout.putHeader(innocent.toTransport.channel(), 0, ShmLayout.WRITE, 5, 7);
        innocent.produced(ShmLayout.recordLength(5));
        assertThat(innocent.received.get(60, TimeUnit.SECONDS)).isEqualTo(5);
        assertThat(innocent.failed).isNotDone();
    }

    @ParameterizedTest
    @ValueSource(longs = {CHANNEL + 16, -16, 8, Long.MAX_VALUE, Long.MIN_VALUE})
    void shouldCloseTheConnectionOfAPeerThatPublishesAnImpossiblePosition(long position) throws Exception {
        hostile.produced(position);
        hostile.awaitViolation("invalid produced position: position=" + position);
        assertOthersAreServed();
    }

    @ParameterizedTest
    @CsvSource({"1, -1", "1, 2147483647", "2, 16385", "3, -2147483648", "4, 0"})
    void shouldCloseTheConnectionOfAPeerThatWritesAnImpossibleRecord(int kind, int length) throws Exception {
        ShmLayout.putHeader(hostile.toTransport.channel(), 0, kind, length, 0);
        hostile.produced(48);
        hostile.awaitViolation(kind > 3 ? "unknown kind" : "invalid length: length=" + length);
        assertThat(hostile.received).isNotDone();
        assertOthersAreServed();
    }

    @Test
    void shouldCloseTheConnectionOfAPeerThatConsumesWhatWasNotSent() throws Exception {
        hostile.fromTransport.publish(ShmLayout.CONSUMED, 1L << 40);
        TransportConnection connection = hostile.accepted.join();
        ByteBuffer message = ByteBuffer.allocateDirect(ShmLayout.LONGEST_CONTROL);
        // Write until the channel is full, so that the position is read.
        connection.worker().execute(() -> {
            for (int i = 0; i <= CHANNEL / ShmLayout.LONGEST_CONTROL; i++) {
                connection.send(message.clear());
            }
        });
        hostile.awaitViolation("invalid consumed position: position=" + (1L << 40));
        assertOthersAreServed();
    }

    @Test
    void shouldKeepNothingOfAClosedConnection() throws Exception {
        long before = ShmEnds.descriptors();
        hostile.produced(-16);
        hostile.awaitViolation("invalid produced position");
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> ShmEnds.descriptors() < before);
        // The memory is no longer in use, although the peer continues to write to it.
        hostile.produced(1L << 30);
        assertOthersAreServed();
    }
}
