package io.rocketbufs.rocketnet.tcp;

import static io.rocketbufs.rocketnet.tcp.TcpRecordingHandler.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.WriteRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of all ways to run out of space in the middle of a frame. */
final class TcpSendingSideTest {
    private static final int LENGTH = 23;
    private static final int FRAME = 8 + LENGTH;

    private final MemoryPool memory = new MemoryPool(16 << 20);
    private final Region local = memory.allocate(1 << 20);
    private final ByteBuffer window = local.window(0, 1 << 20);
    private final ByteBuffer privateWindow = ByteBuffer.allocateDirect(TcpSendingSide.PRIVATE_LENGTH);

    @AfterEach
    void closeMemory() {
        memory.close();
    }

    private TcpSendingSide sendingSide(FakeSocket socket) {
        return new TcpSendingSide(socket, memory, privateWindow, 0);
    }

    /**
     * Returns a payload in two ranges. The second range has a lower address than the first, as at the end of a circular
     * buffer.
     */
    private WriteRequest wrapped(int immediate, byte[] payload, int first) {
        WriteRequest request = new WriteRequest(TcpSocket.VECS_PER_WRITE).set(local, null, 0, immediate);
        window.put(1000, payload, 0, first);
        window.put(500, payload, first, payload.length - first);
        request.vecs().add(window, 1000, first, local.address() + 1000);
        request.vecs().add(window, 500, payload.length - first, local.address() + 500);
        return request;
    }

    @Test
    void shouldWriteAFrameImmediatelyWhenThereIsSpace() throws IOException {
        for (int first = 0; first <= LENGTH; first++) {
            FakeSocket socket = new FakeSocket();
            byte[] payload = Frames.payload(LENGTH, first);
            assertThat(sendingSide(socket).write(wrapped(7, payload, first))).isEqualTo(PostResult.SENT);
            assertThat(socket.written())
                    .isEqualTo(new Frames().write(7, payload).bytes());
        }
    }

    @Test
    void shouldAcceptNothingWithoutSpace() throws IOException {
        FakeSocket socket = new FakeSocket().willWrite(0, 0);
        TcpSendingSide side = sendingSide(socket);
        assertThat(side.write(wrapped(7, new byte[LENGTH], 3))).isEqualTo(PostResult.NO_WINDOW);
        assertThat(side.send(ByteBuffer.wrap(bytes("note")))).isEqualTo(PostResult.NO_WINDOW);
        assertThat(socket.awaitedCount).isEqualTo(2);
        assertThat(side.progress()).isZero();
        assertThat(side.withdraw()).isZero();

        assertThat(side.send(ByteBuffer.wrap(bytes("other")))).isEqualTo(PostResult.SENT);
        assertThat(socket.written())
                .isEqualTo(new Frames().control(bytes("other")).bytes());
    }

    @Test
    void shouldContinueAfterEveryPartialWrite() throws IOException {
        for (int cut = 1; cut < FRAME; cut++) {
            for (int first = 0; first <= LENGTH; first += 5) {
                FakeSocket socket = new FakeSocket().willWrite(cut, 0, (FRAME - cut) / 2);
                TcpSendingSide side = sendingSide(socket);
                byte[] payload = Frames.payload(LENGTH, cut);
                assertThat(side.write(wrapped(7, payload, first))).isEqualTo(PostResult.POSTED);
                assertThat(side.write(wrapped(8, payload, first))).isEqualTo(PostResult.NO_WINDOW);
                assertThat(side.send(ByteBuffer.allocate(3))).isEqualTo(PostResult.NO_WINDOW);
                assertThat(side.progress()).isZero();
                assertThat(side.progress()).isZero();
                assertThat(side.progress()).isEqualTo(1);
                assertThat(side.progress()).isZero();
                assertThat(socket.awaitedCount).isEqualTo(3);
                assertThat(socket.written())
                        .isEqualTo(new Frames().write(7, payload).bytes());
            }
        }
    }

    private PostResult writeMore(TcpSendingSide side, byte[] payload) throws IOException {
        WriteRequest request = wrapped(7, payload, payload.length / 3);
        request.more(true);
        return side.write(request);
    }

    @Test
    void shouldHoldBackShortFramesForFurtherFrames() throws IOException {
        FakeSocket socket = new FakeSocket();
        TcpSendingSide side = sendingSide(socket);
        byte[] payload = Frames.payload(LENGTH, 1);
        Frames expected = new Frames();
        for (int i = 0; i < 10; i++) {
            assertThat(writeMore(side, payload)).isEqualTo(PostResult.SENT);
            expected.write(7, payload);
        }
        assertThat(socket.written()).isEmpty();
        assertThat(side.write(wrapped(8, payload, 5))).isEqualTo(PostResult.SENT);
        assertThat(side.push()).isTrue();
        assertThat(socket.written()).isEqualTo(expected.write(8, payload).bytes());
        assertThat(socket.writeCount).isEqualTo(1);
        assertThat(side.push()).isTrue();
        assertThat(socket.writeCount).isEqualTo(1);
    }

    @Test
    void shouldSendAMessageAfterFramesThatWereHeldBack() throws IOException {
        FakeSocket socket = new FakeSocket();
        TcpSendingSide side = sendingSide(socket);
        byte[] payload = Frames.payload(LENGTH, 1);
        writeMore(side, payload);
        assertThat(side.send(ByteBuffer.wrap(bytes("note")))).isEqualTo(PostResult.SENT);
        writeMore(side, payload);
        side.finish();
        assertThat(socket.written())
                .isEqualTo(new Frames()
                        .write(7, payload)
                        .control(bytes("note"))
                        .write(7, payload)
                        .bytes());
        assertThat(socket.outputShut).isTrue();
    }

    @Test
    void shouldHoldBackShortMessagesForWhatFollows() throws IOException {
        FakeSocket socket = new FakeSocket();
        TcpSendingSide side = sendingSide(socket);
        byte[] payload = Frames.payload(LENGTH, 1);
        Frames expected = new Frames().control(bytes("first")).write(7, payload).control(bytes("last"));
        assertThat(side.sendLater(ByteBuffer.wrap(bytes("first")))).isEqualTo(PostResult.SENT);
        assertThat(side.write(wrapped(7, payload, 5))).isEqualTo(PostResult.SENT);
        assertThat(side.sendLater(ByteBuffer.wrap(bytes("last")))).isEqualTo(PostResult.SENT);
        assertThat(socket.written()).isEmpty();
        assertThat(side.push()).isTrue();
        assertThat(socket.written()).isEqualTo(expected.bytes());
        assertThat(socket.writeCount).isEqualTo(1);
    }

    @Test
    void shouldLeaveAPostedFrameToProgressWhenPushed() throws IOException {
        FakeSocket socket = new FakeSocket().willWrite(5);
        TcpSendingSide side = sendingSide(socket);
        assertThat(side.write(wrapped(7, Frames.payload(LENGTH, 1), 5))).isEqualTo(PostResult.POSTED);
        assertThat(side.push()).isFalse();
        assertThat(side.progress()).isEqualTo(1);
    }

    @Test
    void shouldWriteFramesOfAnyLengthInOrderWithAnySpace() throws IOException {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 30; round++) {
            FakeSocket socket = new FakeSocket();
            for (int i = 0; i < 50; i++) {
                socket.willWrite(random.nextInt(3) * random.nextInt(30_000));
            }
            TcpSendingSide side = sendingSide(socket);
            Frames expected = new Frames();
            for (int i = 0; i < 200; i++) {
                byte[] payload = Frames.payload(1 + random.nextInt(random.nextInt(10) == 0 ? 80_000 : 3_000), i);
                WriteRequest request = inOnePiece(payload);
                request.more(random.nextInt(10) > 0);
                PostResult result = side.write(request);
                while (result == PostResult.NO_WINDOW) {
                    side.progress();
                    result = side.write(request);
                }
                expected.write(7, payload);
                if (result == PostResult.POSTED) {
                    while (side.progress() == 0) {
                        assertThat(side.push()).isFalse();
                    }
                }
                if (random.nextInt(8) == 0) {
                    side.push();
                }
            }
            side.finish();
            while (!socket.outputShut) {
                side.progress();
            }
            assertThat(socket.written()).as("seed=%d round=%d", seed, round).isEqualTo(expected.bytes());
        }
    }

    private WriteRequest inOnePiece(byte[] payload) {
        WriteRequest request = new WriteRequest(TcpSocket.VECS_PER_WRITE).set(local, null, 0, 7);
        window.put(0, payload, 0, payload.length);
        request.vecs().add(window, 0, payload.length, local.address());
        return request;
    }

    @Test
    void shouldFreeTheCallersMemoryWhenWithdrawnAfterAnyPartialWrite() throws IOException {
        for (int cut = 1; cut < FRAME; cut++) {
            for (int first = 0; first <= LENGTH; first += 5) {
                FakeSocket socket = new FakeSocket().willWrite(cut, 2);
                TcpSendingSide side = sendingSide(socket);
                byte[] payload = Frames.payload(LENGTH, cut);
                byte[] next = Frames.payload(LENGTH, -cut);
                assertThat(side.write(wrapped(7, payload, first))).isEqualTo(PostResult.POSTED);
                assertThat(side.withdraw()).isEqualTo(1);
                assertThat(side.withdraw()).isZero();
                WriteRequest second = wrapped(8, next, first);
                PostResult result = side.write(second);
                if (FRAME - cut > 2) {
                    assertThat(result).isEqualTo(PostResult.NO_WINDOW);
                    assertThat(side.progress()).isZero();
                    result = side.write(second);
                }
                assertThat(result).isEqualTo(PostResult.SENT);
                assertThat(socket.written())
                        .isEqualTo(new Frames().write(7, payload).write(8, next).bytes());
            }
        }
    }

    @Test
    void shouldReleaseWithdrawnMemory() throws IOException {
        long before = memory.allocatedLength();
        byte[] payload = Frames.payload(200_000, 1);
        for (boolean closed : new boolean[] {false, true}) {
            TcpSendingSide side = sendingSide(new FakeSocket().willWrite(100, 0));
            side.write(wrapped(1, payload, 100_000));
            side.withdraw();
            assertThat(memory.allocatedLength()).isGreaterThan(before);
            assertThat(side.progress()).isZero();
            if (closed) {
                side.close();
            } else {
                assertThat(side.progress()).isZero();
            }
            assertThat(memory.allocatedLength()).isEqualTo(before);
        }
    }

    @Test
    void shouldCopyAPartlySentControlMessage() throws IOException {
        for (int cut = 1; cut < FRAME; cut++) {
            FakeSocket socket = new FakeSocket().willWrite(cut, 0);
            TcpSendingSide side = sendingSide(socket);
            byte[] message = Frames.payload(LENGTH, cut);
            byte[] given = message.clone();
            byte[] payload = bytes("payload");
            assertThat(side.send(ByteBuffer.wrap(given))).isEqualTo(PostResult.SENT);
            java.util.Arrays.fill(given, (byte) 0);
            assertThat(side.send(ByteBuffer.wrap(given))).isEqualTo(PostResult.NO_WINDOW);
            assertThat(side.withdraw()).isZero();
            assertThat(side.write(wrapped(9, payload, 2))).isEqualTo(PostResult.SENT);
            assertThat(side.progress()).isZero();
            assertThat(socket.written())
                    .isEqualTo(new Frames().control(message).write(9, payload).bytes());
        }
    }

    @Test
    void shouldFinishAfterCommittedData() throws IOException {
        FakeSocket socket = new FakeSocket().willWrite(5, 5);
        TcpSendingSide side = sendingSide(socket);
        side.write(wrapped(7, new byte[LENGTH], 3));
        side.finish();
        assertThat(side.progress()).isZero();
        assertThat(socket.outputShut).isFalse();
        assertThat(side.progress()).isEqualTo(1);
        assertThat(socket.outputShut).isTrue();
        assertThatThrownBy(() -> side.send(ByteBuffer.allocate(1))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldRejectMessagesThatAreTooLongBeforeWriting() {
        FakeSocket socket = new FakeSocket();
        TcpSendingSide side = sendingSide(socket);
        assertThatThrownBy(() -> side.write(wrapped(1, new byte[(256 << 10) + 1], 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("write is too long: length=262145, longest=262144");
        assertThatThrownBy(() -> side.send(ByteBuffer.allocate((16 << 10) + 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("send is too long: length=16385, longest=16384");
        assertThat(socket.written()).isEmpty();
    }

    @Test
    void shouldPreserveBytesAndOrderForAnySpaceAndCalls() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            AnyCalls calls = new AnyCalls(random);
            for (int i = 0; i < 50; i++) {
                calls.call(i);
                assertThat(calls.posted).as("seed %d", seed).isBetween(0, 1);
            }
            for (int i = 0; i < 100; i++) {
                calls.posted -= calls.side.progress();
                calls.side.push();
            }
            assertThat(calls.posted).as("seed %d", seed).isZero();
            assertThat(calls.socket.written()).as("seed %d", seed).isEqualTo(calls.expected.bytes());
        }
    }

    /** A series of random calls, and the bytes that they are expected to write. */
    private final class AnyCalls {
        private final Random random;
        private final FakeSocket socket = new FakeSocket();
        private final TcpSendingSide side = sendingSide(socket);
        private final Frames expected = new Frames();
        private int posted;

        AnyCalls(Random random) {
            this.random = random;
        }

        void call(int i) throws IOException {
            byte[] payload = Frames.payload(random.nextInt(40), random.nextLong());
            socket.willWrite(random.nextInt(60), random.nextInt(60));
            switch (random.nextInt(5)) {
                case 0 -> send(payload);
                case 1 -> posted -= side.withdraw();
                case 2 -> posted -= side.progress();
                case 3 -> side.push();
                default -> write(i, payload);
            }
        }

        private void send(byte[] message) throws IOException {
            ByteBuffer bytes = ByteBuffer.wrap(message);
            PostResult result = random.nextBoolean() ? side.sendLater(bytes) : side.send(bytes);
            if (result == PostResult.SENT) {
                expected.control(message);
            }
        }

        /**
         * Writes a frame unless a posted write is pending. The payload of a pending write must stay in the memory that
         * the next write would use.
         */
        private void write(int immediate, byte[] payload) throws IOException {
            if (posted > 0) {
                return;
            }
            WriteRequest request = wrapped(immediate, payload, random.nextInt(payload.length + 1));
            request.more(random.nextBoolean());
            PostResult result = side.write(request);
            posted += result == PostResult.POSTED ? 1 : 0;
            if (result != PostResult.NO_WINDOW) {
                expected.write(immediate, payload);
            }
        }
    }
}
