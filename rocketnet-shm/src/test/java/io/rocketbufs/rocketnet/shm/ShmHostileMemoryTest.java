package io.rocketbufs.rocketnet.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportHandler;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests in which the peer writes data into the shared memory that no correct peer writes. */
final class ShmHostileMemoryTest {
    private static final int LENGTH = ShmLayout.SHORTEST_CHANNEL;

    private ShmMemory memory;
    private ShmSocket socket;
    private final List<String> events = new ArrayList<>();
    private ShmReceivingSide receiving;

    @BeforeEach
    void open() throws IOException {
        int descriptor = ShmMemory.create(LENGTH);
        memory = ShmMemory.map(descriptor, LENGTH);
        ShmSocket.closeDescriptor(descriptor);
        socket = ShmSocket.open();
        receiving = new ShmReceivingSide(memory, socket, new Recorder());
    }

    @AfterEach
    void close() {
        socket.close();
        memory.unmap();
    }

    private void assertViolation(String message) {
        assertThatThrownBy(receiving::turn).isInstanceOf(ShmViolation.class).hasMessageContaining(message);
        assertThat(events).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {LENGTH + 16, -16, 8, 1, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 32})
    void shouldRefuseAnImpossibleProducedPosition(long position) {
        memory.publish(ShmLayout.PRODUCED, position);
        assertViolation("produced position is impossible: position=" + position);
    }

    @Test
    void shouldRefuseAProducedPositionThatGoesBack() {
        ShmLayout.putHeader(memory.channel(), 0, ShmLayout.CONTROL, 16, 0);
        memory.publish(ShmLayout.PRODUCED, 32);
        receiving.turn();
        events.clear();
        memory.publish(ShmLayout.PRODUCED, 16);
        assertViolation("produced position is impossible");
    }

    @ParameterizedTest
    @CsvSource({
        "1, -1",
        "1, -2147483648",
        "1, 2147483647",
        "1, 65537",
        "1, 33",
        "2, -1",
        "2, 16385",
        "2, 33",
        "3, -1",
        "3, 33",
        "0, 16",
        "4, 16",
        "-1, 16"
    })
    void shouldRefuseAnImpossibleRecord(int kind, int length) {
        ShmLayout.putHeader(memory.channel(), 0, kind, length, 0);
        memory.publish(ShmLayout.PRODUCED, 48);
        assertViolation(kind < 1 || kind > 3 ? "reserved kind: kind=" + kind : "impossible length: length=" + length);
    }

    @Test
    void shouldRefuseARecordThatCrossesTheEndOfTheChannel() {
        ShmLayout.putHeader(memory.channel(), 0, ShmLayout.PADDING, LENGTH - 48, 0);
        memory.publish(ShmLayout.PRODUCED, LENGTH - 32);
        receiving.turn();
        ShmLayout.putHeader(memory.channel(), LENGTH - 32, ShmLayout.WRITE, 32, 0);
        memory.publish(ShmLayout.PRODUCED, LENGTH + 16);
        assertViolation("write has an impossible length: length=32");
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, -1, Long.MIN_VALUE, 1L << 40})
    void shouldRefuseAnImpossibleConsumedPosition(long position) {
        ShmSendingSide sending = new ShmSendingSide(memory, socket);
        ByteBuffer message = ByteBuffer.allocate(ShmLayout.LONGEST_CONTROL);
        memory.publish(ShmLayout.CONSUMED, position);
        assertThatThrownBy(() -> {
                    while (sending.send(message) == PostResult.SENT) {
                        // Until the channel is full, so that the position is read.
                    }
                })
                .isInstanceOf(ShmViolation.class)
                .hasMessageContaining("consumed position is impossible: position=" + position);
    }

    @Test
    void shouldCopyAControlMessageBeforeItIsRead() {
        ShmLayout.putHeader(memory.channel(), 0, ShmLayout.CONTROL, 16, 0);
        memory.channel().put(16, (byte) 1);
        memory.publish(ShmLayout.PRODUCED, 32);
        receiving.turn();
        // The handler has changed the memory during the call, and has read the message afterwards.
        assertThat(events).containsExactly("1");
    }

    private final class Recorder implements TransportHandler {
        @Override
        public void place(int immediate, int length, Vecs into) {
            events.add("place");
        }

        @Override
        public void arrived(int immediate, int length) {
            events.add("arrived");
        }

        @Override
        public void arrivalsEnd() {
            events.add("end");
        }

        @Override
        public void control(ByteBuffer message) {
            memory.channel().put(16, (byte) 2);
            events.add("" + message.get(0));
        }

        @Override
        public void completed(int count) {
            events.add("completed");
        }

        @Override
        public void writable() {
            events.add("writable");
        }

        @Override
        public void peerFinished() {
            events.add("finished");
        }

        @Override
        public void failed(TransportException cause) {
            events.add("failed");
        }

        @Override
        public void closed() {
            events.add("closed");
        }
    }
}
