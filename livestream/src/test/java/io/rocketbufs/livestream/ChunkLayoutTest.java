package io.rocketbufs.livestream;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ChunkLayoutTest {
    private static final int BUFFER = 7;
    private static final int CAPACITY = 1000;

    private final RocketBufs rocketBufs = RocketBufs.open(Running.config());
    private final ROut out = new ROut(rocketBufs);

    @AfterEach
    void close() {
        out.close();
        rocketBufs.close();
    }

    @Test
    void shouldReadChunksWrittenAtEveryBufferOffset() {
        out.createBuffer(BUFFER, CAPACITY, BufferOptions.DEFAULTS.withFlowControl(false));
        for (int i = 0; i < 1000; i++) {
            int length = 1 + i * 37 % 300;
            Segment segment = out.getOutputSegment(BUFFER, ChunkLayout.lengthOf(length), false);
            for (int j = 0; j < length; j++) {
                segment.putByte(ChunkLayout.payloadIndex() + j, (byte) (i + j));
            }
            ChunkHeader header = new ChunkHeader(BUFFER, i, i * 10_000_000_000L, -i, 2_000_000, 3, length);

            ChunkLayout.seal(segment, header);

            assertThat(ChunkLayout.read(segment, 0)).isEqualTo(header);
            assertThat(ChunkLayout.marker(segment, 0)).isEqualTo(segment.position());
            assertThat(segment.getByte(ChunkLayout.payloadIndex() + length - 1)).isEqualTo((byte) (i + length - 1));
            out.deliver(segment, ChunkLayout.lengthOf(length));
        }
    }

    @Test
    void shouldRejectAChunkWithADifferentMarker() {
        Segment segment = sealed(100);

        segment.putByte(ChunkLayout.lengthOf(100) - 1, (byte) 1);

        assertThat(ChunkLayout.read(segment, 0)).isNull();
    }

    @Test
    void shouldRejectAChunkWithAnInvalidLength() {
        for (int wrong : new int[] {0, -1, 101, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            Segment segment = sealed(100);
            segment.putInt(40, wrong);

            assertThat(ChunkLayout.read(segment, 0)).as("length %d", wrong).isNull();
            out.removeBuffer(BUFFER);
        }
    }

    @Test
    void shouldRejectAChunkThatIsTooShort() {
        assertThat(ChunkLayout.read(sealed(100), 101)).isNull();
    }

    @Test
    void shouldUseADifferentMarkerInEveryChunk() {
        Segment first = sealed(100);
        long marker = ChunkLayout.marker(first, 0);
        out.deliver(first, ChunkLayout.lengthOf(100));
        Segment second = out.getOutputSegment(BUFFER, ChunkLayout.lengthOf(100), false);
        ChunkLayout.seal(second, new ChunkHeader(BUFFER, 1, 2, 3, 4, 0, 100));

        assertThat(ChunkLayout.marker(second, 0)).isNotEqualTo(marker);
    }

    private Segment sealed(int length) {
        out.createBuffer(BUFFER, CAPACITY);
        Segment segment = out.getOutputSegment(BUFFER, ChunkLayout.lengthOf(length), false);
        ChunkLayout.seal(segment, new ChunkHeader(BUFFER, 1, 2, 3, 4, 0, length));
        return segment;
    }
}
