package io.rocketbufs.rocketnet.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of all ways to split, stage and place arriving frames. */
final class TcpReceivingSideTest {
    private static final int CAPACITY = 64;

    private final MemoryPool memory = new MemoryPool(1 << 20);

    @AfterEach
    void closeMemory() {
        memory.close();
    }

    /** Reads the pieces and returns the data that the handler received. */
    private List<String> receive(List<byte[]> pieces, int stageLength, int directThreshold, int position, int capacity)
            throws IOException {
        FakeSocket socket = new FakeSocket();
        pieces.forEach(socket::willRead);
        TcpRecordingHandler handler = new TcpRecordingHandler(memory, capacity).startAt(position);
        TcpReceivingSide side = new TcpReceivingSide(
                socket, new TcpStage(memory, stageLength), directThreshold, TcpEnds.loopback(1), handler);
        for (int i = 0; i < 2 * pieces.size() + 200; i++) {
            side.turn(true);
        }
        assertThat(side.cut()).isEmpty();
        return handler.events();
    }

    @Test
    void shouldParseFramesCutAtAnyTwoPositions() throws IOException {
        byte[] payload = Frames.payload(13, 1);
        byte[] message = Frames.payload(11, 2);
        byte[] frames = new Frames()
                .write(5, payload)
                .control(message)
                .write(6, new byte[0])
                .bytes();
        String[] expected = {
            TcpRecordingHandler.arrival(5, payload),
            TcpRecordingHandler.control(message),
            TcpRecordingHandler.arrival(6, new byte[0])
        };
        for (int one = 0; one <= frames.length; one++) {
            for (int two = one; two <= frames.length; two++) {
                List<byte[]> pieces = new ArrayList<>(List.of(
                        Arrays.copyOf(frames, one),
                        Arrays.copyOfRange(frames, one, two),
                        Arrays.copyOfRange(frames, two, frames.length)));
                pieces.removeIf(piece -> piece.length == 0);
                assertThat(receive(pieces, 100, 1 + two % 16, 0, CAPACITY)).containsExactly(expected);
            }
        }
    }

    @Test
    void shouldPlaceWrappedFramesAtEveryOffset() throws IOException {
        for (int length = 1; length <= CAPACITY; length += 7) {
            byte[] payload = Frames.payload(length, length);
            List<byte[]> pieces = List.of(new Frames().write(1, payload).bytes());
            for (int position = 0; position < CAPACITY; position++) {
                for (int directThreshold : new int[] {1, 10, 1000}) {
                    assertThat(receive(pieces, 20, directThreshold, position, CAPACITY))
                            .containsExactly(TcpRecordingHandler.arrival(1, payload));
                }
            }
        }
    }

    @Test
    void shouldSwitchBetweenStageAndPlaceAtTheThreshold() throws IOException {
        for (int directThreshold = 1; directThreshold <= 30; directThreshold++) {
            for (int length = 1; length <= 60; length++) {
                byte[] payload = Frames.payload(length, length);
                List<byte[]> pieces =
                        List.of(new Frames().write(1, payload).write(2, payload).bytes());
                for (int stageLength : new int[] {8, 9, 31}) {
                    assertThat(receive(pieces, stageLength, directThreshold, 30, CAPACITY))
                            .containsExactly(
                                    TcpRecordingHandler.arrival(1, payload), TcpRecordingHandler.arrival(2, payload));
                }
            }
        }
    }

    @Test
    void shouldDeliverTheSameDataHoweverTheBytesAreSplit() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            Frames frames = new Frames();
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                byte[] payload = Frames.payload(random.nextInt(random.nextInt(400) + 1), random.nextLong());
                if (random.nextInt(4) == 0) {
                    frames.control(payload);
                    expected.add(TcpRecordingHandler.control(payload));
                } else {
                    frames.write(i - 10, payload);
                    expected.add(TcpRecordingHandler.arrival(i - 10, payload));
                }
            }
            List<byte[]> pieces = new ArrayList<>();
            byte[] bytes = frames.bytes();
            for (int from = 0; from < bytes.length; ) {
                int to = Math.min(bytes.length, from + 1 + random.nextInt(random.nextInt(300) + 1));
                pieces.add(Arrays.copyOfRange(bytes, from, to));
                from = to;
            }
            int stageLength = 8 + random.nextInt(random.nextInt(1000) + 1);
            int directThreshold = 1 + random.nextInt(500);
            assertThat(receive(pieces, stageLength, directThreshold, random.nextInt(500), 500))
                    .as("seed %d", seed)
                    .isEqualTo(expected);
        }
    }
}
