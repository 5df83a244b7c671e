package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.Segment;
import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.memory.MemoryPool;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class HistoryTest {
    private final MemoryPool pool = new MemoryPool(1 << 16);

    @AfterEach
    void closePool() {
        pool.close();
    }

    /** Returns waiting frames with payloads of the given lengths. Their position equals their offset. */
    private Segment waiting(int offset, int... lengths) {
        ByteBuffer bytes = ByteBuffer.allocate(1000);
        for (int length : lengths) {
            bytes.putInt(length).position(bytes.position() + (length & 0xffff));
        }
        byte[] transfer = new byte[bytes.position()];
        bytes.flip().get(transfer);
        return ReadFrames.arrived(new CircularBuffer(pool.allocate(1000), 1000), offset, transfer);
    }

    @Test
    void shouldLeaveOutAllButTheLastMessage() {
        History history = new History(100, 125, true);
        Segment waiting = waiting(0, 3, 4, 6);
        assertThat(history.end()).isEqualTo(25);
        assertThat(history.livePosition()).isEqualTo(125);
        assertThat(history.skip(waiting, 25, true)).isEqualTo(15);
        assertThat(history.skips()).isFalse();
    }

    @Test
    void shouldFindTheLastMessageThatSpansTheEndOfTheBuffer() {
        for (int offset = 970; offset < 1000; offset++) {
            History history = new History(0, offset + 25, true);
            assertThat(history.skip(waiting(offset, 3, 4, 6), 25, true)).isEqualTo(15);
        }
    }

    @Test
    void shouldKeepTheLastMessageUntilTheRestArrives() {
        History history = new History(0, 25, true);
        assertThat(history.skip(waiting(0, 3, 4), 15, false)).isEqualTo(7);
        assertThat(history.skip(waiting(7, 4), 8, false)).isZero();
        assertThat(history.skips()).isTrue();
        assertThat(history.skip(waiting(7, 4, 6), 18, false)).isEqualTo(8);
        assertThat(history.skips()).isFalse();
    }

    @Test
    void shouldLeaveOutWhatPrecedesAGapBeforeTheEnd() {
        History history = new History(0, 100, true);
        history.onGap(15, 60);
        assertThat(history.end()).isEqualTo(40);
        assertThat(history.skip(waiting(0, 3, 4), 15, true)).isEqualTo(15);
        assertThat(history.skips()).isTrue();
    }

    @Test
    void shouldHandOverTheLastMessageBeforeAGapThatReachesTheEnd() {
        History history = new History(0, 100, true);
        history.onGap(15, 85);
        assertThat(history.end()).isEqualTo(15);
        assertThat(history.skip(waiting(0, 3, 4), 15, true)).isEqualTo(7);
        assertThat(history.skips()).isFalse();
    }

    @Test
    void shouldEndWithAGapThatReachesBeyondTheEnd() {
        History history = new History(50, 100, false);
        history.onGap(0, 1000);
        assertThat(history.end()).isZero();
        history.onGap(20, 5);
        assertThat(history.end()).isZero();
    }

    @Test
    void shouldLeaveMalformedFramesToTheReader() {
        assertThat(new History(0, 17, true).skip(waiting(0, 3, 6), 17, false)).isEqualTo(7);
        assertThat(new History(0, 13, true).skip(waiting(0, 3, 0x7fff0002), 13, false))
                .isEqualTo(7);
        assertThat(new History(0, 9, true).skip(waiting(0, 3, 6), 9, false)).isEqualTo(7);
        assertThat(new History(0, 17, true).skip(waiting(0, 3 | 1 << 31, 6), 17, false))
                .isEqualTo(7);
    }
}
