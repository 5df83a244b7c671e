package io.rocketbufs.livestream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

final class DescriptionLayoutTest {
    private static final StreamDescription DESCRIPTION = new StreamDescription(
            "cam-1",
            0xfedc_ba98L,
            216_000_000,
            12,
            6 << 20,
            1 << 20,
            3,
            Container.FMP4,
            2000,
            "avc1.42c01e,mp4a.40.2",
            new byte[] {1, 2});

    @Test
    void shouldReadAWrittenDescription() {
        StreamDescription read = DescriptionLayout.read(DescriptionLayout.write(DESCRIPTION));

        assertThat(read).usingRecursiveComparison().isEqualTo(DESCRIPTION);
    }

    @Test
    void shouldFitIntoAControlMessageWithTheLongestInitSegment() {
        StreamDescription longest = new StreamDescription(
                "n".repeat(StreamName.MAX_LENGTH),
                1,
                1,
                1,
                1 << 20,
                1 << 18,
                1,
                Container.FMP4,
                2000,
                "c".repeat(200),
                new byte[DescriptionLayout.MAX_INIT_LENGTH]);

        assertThat(DescriptionLayout.write(longest).remaining()).isEqualTo(16_376);
    }

    @Test
    void shouldRejectEveryTruncatedMessage() {
        ByteBuffer whole = DescriptionLayout.write(DESCRIPTION);
        for (int length = 0; length < whole.limit(); length++) {
            ByteBuffer cut = whole.slice(0, length);
            assertThatThrownBy(() -> DescriptionLayout.read(cut)).isInstanceOf(TransportException.class);
        }
    }

    @Test
    void shouldRejectInvalidDescriptions() {
        assertThatThrownBy(() -> DescriptionLayout.read(with(1, (byte) 9))).hasMessageContaining("version=9");
        assertThatThrownBy(() -> DescriptionLayout.read(with(2, (byte) 7))).hasMessageContaining("container=7");
        assertThatThrownBy(() -> DescriptionLayout.read(with(46, (byte) '/'))).hasMessageContaining("a name");
        assertThatThrownBy(() -> DescriptionLayout.read(with(32, (byte) 0x80))).hasMessageContaining("chunkLimit=");
        assertThatThrownBy(() -> DescriptionLayout.read(with(16, (byte) 0x80))).hasMessageContaining("sequenceBase=");
    }

    private static ByteBuffer with(int index, byte value) {
        return DescriptionLayout.write(DESCRIPTION).put(index, value);
    }
}
