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
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests in which the peer writes data to shared memory that a correct peer never writes. */
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
        assertViolation("invalid produced position: position=" + position);
    }

    @Test
    void shouldRefuseAProducedPositionThatGoesBack() {
        ShmLayout.putHeader(memory.channel(), 0, ShmLayout.CONTROL, 16, 0);
        memory.publish(ShmLayout.PRODUCED, 32);
        receiving.turn();
        events.clear();
        memory.publish(ShmLayout.PRODUCED, 16);
        assertViolation("invalid produced position");
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
        assertViolation(kind < 1 || kind > 3 ? "unknown kind: kind=" + kind : "invalid length: length=" + length);
    }

    @Test
    void shouldRefuseARecordThatCrossesTheEndOfTheChannel() {
        ShmLayout.putHeader(memory.channel(), 0, ShmLayout.PADDING, LENGTH - 48, 0);
        memory.publish(ShmLayout.PRODUCED, LENGTH - 32);
        receiving.turn();
        ShmLayout.putHeader(memory.channel(), LENGTH - 32, ShmLayout.WRITE, 32, 0);
        memory.publish(ShmLayout.PRODUCED, LENGTH + 16);
        assertViolation("write has an invalid length: length=32");
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, -1, Long.MIN_VALUE, 1L << 40})
    void shouldRefuseAnImpossibleConsumedPosition(long position) {
        ShmSendingSide sending = new ShmSendingSide(memory, socket);
        ByteBuffer message = ByteBuffer.allocate(ShmLayout.LONGEST_CONTROL);
        memory.publish(ShmLayout.CONSUMED, position);
        assertThatThrownBy(() -> {
                    while (sending.send(message) == PostResult.SENT) {
                        // Write until the channel is full, so that the position is read.
                    }
                })
                .isInstanceOf(ShmViolation.class)
                .hasMessageContaining("invalid consumed position: position=" + position);
    }

    @Test
    void shouldCopyAControlMessageBeforeItIsRead() {
        ShmLayout.putHeader(memory.channel(), 0, ShmLayout.CONTROL, 16, 0);
        memory.channel().put(16, (byte) 1);
        memory.publish(ShmLayout.PRODUCED, 32);
        receiving.turn();
        // The handler changed the memory during the call, and then read the message.
        assertThat(events).containsExactly("1");
    }

    @Test
    void shouldOnlyDeliverPossibleLengthsWhileThePeerKeepsChangingRecords() throws InterruptedException {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        AtomicBoolean done = new AtomicBoolean();
        Thread peer = new Thread(() -> {
            Random random = new Random(seed);
            while (!done.get()) {
                int offset = random.nextInt(LENGTH / 16) * 16;
                int length = random.nextInt(100) < 95 ? random.nextInt(200) : random.nextInt();
                ShmLayout.putHeader(
                        memory.channel(), offset, random.nextInt(100) < 95 ? 1 + offset / 16 % 3 : 0, length, 0);
            }
        });
        peer.start();
        try {
            int violations = 0;
            LengthCheck lengths = new LengthCheck();
            while (violations < 500 || lengths.count < 5_000) {
                memory.publish(ShmLayout.PRODUCED, 0);
                receiving = new ShmReceivingSide(memory, socket, lengths);
                violations += turnsUntilViolation(LENGTH);
            }
        } finally {
            done.set(true);
            peer.join();
        }
    }

    /** Receives records up to a position. Returns the number of violations, which is 0 or 1. */
    private int turnsUntilViolation(long position) {
        memory.publish(ShmLayout.PRODUCED, position);
        try {
            while (receiving.turn() == ShmReceivingSide.Turn.MORE) {
                // Continue, because there are more records.
            }
            return 0;
        } catch (ShmViolation e) {
            return 1;
        }
    }

    /** A handler that checks the lengths of arriving data and ignores the data. */
    private static final class LengthCheck extends ShmIgnoringHandler {
        private final ByteBuffer memory = ByteBuffer.allocateDirect(ShmLayout.LONGEST_WRITE);
        private long count;

        @Override
        public void place(int immediate, int length, Vecs into) {
            assertThat(length).isBetween(1, ShmLayout.LONGEST_WRITE);
            into.add(memory, 0, length, 0);
        }

        @Override
        public void arrived(int immediate, int length) {
            count++;
        }

        @Override
        public void control(ByteBuffer message) {
            assertThat(message.remaining()).isBetween(0, ShmLayout.LONGEST_CONTROL);
            count++;
        }
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
