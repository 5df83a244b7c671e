package io.rocketbufs.livestream.media;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.livestream.bench.EmulatedChunk;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ScannersTest {
    @Test
    void shouldReadTheTimeOfATransportStream() {
        TsScanner scanner = new TsScanner();
        scanner.scan(ByteBuffer.wrap(EmulatedChunk.make(1, 7, 188 * 500, 2000)));

        assertThat(scanner.finish()).isEqualTo(new ChunkFacts(14_000_000, 2_000_000, true, "avc1"));
    }

    @Test
    void shouldRejectATruncatedOrEmptyTransportStream() {
        TsScanner cut = new TsScanner();
        cut.scan(ByteBuffer.wrap(EmulatedChunk.make(1, 7, 188 * 500, 2000), 0, 1000));
        assertThatThrownBy(cut::finish).hasMessage("ends in the middle of a packet");
        TsScanner tablesOnly = new TsScanner();
        tablesOnly.scan(ByteBuffer.wrap(EmulatedChunk.make(1, 7, 188 * 500, 2000), 0, 2 * 188));
        assertThatThrownBy(tablesOnly::finish).hasMessageContaining("neither video nor audio");
    }

    @Test
    void shouldHandleTimeStampsThatWrap() {
        Timeline timeline = new Timeline();
        long start = (1L << 33) - 9000;
        for (int i = 0; i < 10; i++) {
            timeline.add(start + i * 3600L & (1L << 33) - 1);
        }
        assertThat(timeline.start()).isEqualTo(start);
        assertThat(timeline.duration()).isEqualTo(36_000);
    }

    @Test
    void shouldUseTheLowestTimeStampAsTheStart() {
        Timeline timeline = new Timeline();
        for (long pts : new long[] {7200, 0, 3600, 18_000, 10_800, 14_400}) {
            timeline.add(90_000 + pts);
        }
        assertThat(timeline.start()).isEqualTo(90_000);
        assertThat(timeline.duration()).isEqualTo(21_600);
    }

    /** ffmpeg writes eight audio frames into each packet, and the remaining frames into the last packet. */
    @Test
    void shouldEstimateTheDurationOfTheLastAudioPacketFromItsLength() {
        Timeline timeline = new Timeline();
        for (int i = 0; i < 10; i++) {
            timeline.add(i * 16_000L, 2800);
        }
        timeline.add(160_000, 350);

        assertThat(timeline.duration()).isEqualTo(162_000);
    }

    @Test
    void shouldReadTheTimeOfFragments() {
        Mp4Init init = Mp4Init.read(init());
        assertThat(init.codecs()).isEqualTo("avc1.42c01e");
        byte[] chunk = join(box("styp", new byte[8]), fragment(90_000, 1000, 60), box("mdat", new byte[5000]));
        for (long seed = 0; seed < 100; seed++) {
            Mp4Scanner scanner = new Mp4Scanner(init);
            Random random = new Random(seed);
            for (int at = 0; at < chunk.length; ) {
                int length = Math.min(chunk.length - at, 1 + random.nextInt(300));
                scanner.scan(ByteBuffer.wrap(chunk, at, length));
                at += length;
            }
            assertThat(scanner.finish())
                    .as("seed %d", seed)
                    .isEqualTo(new ChunkFacts(3_000_000, 2_000_000, true, "avc1.42c01e"));
        }
    }

    @Test
    void shouldRejectTruncatedOrInvalidFragments() {
        Mp4Init init = Mp4Init.read(init());
        byte[] chunk = join(fragment(0, 1000, 60), box("mdat", new byte[5000]));
        Mp4Scanner cut = new Mp4Scanner(init);
        cut.scan(ByteBuffer.wrap(chunk, 0, 3000));
        assertThatThrownBy(cut::finish).hasMessage("ends in the middle of a box");
        Mp4Scanner bare = new Mp4Scanner(init);
        bare.scan(ByteBuffer.wrap(fragment(0, 1000, 60)));
        assertThatThrownBy(bare::finish).hasMessage("contains no media");
        Mp4Scanner wrong = new Mp4Scanner(init);
        byte[] tooMany = fragment(0, 1000, 1_000_000_000);
        assertThatThrownBy(() -> wrong.scan(ByteBuffer.wrap(tooMany))).hasMessageContaining("that does not fit");
    }

    /** A muxer extends the last sample before a jump in the timestamps until the end of the jump. */
    @Test
    void shouldNotCountTheTimeAcrossAJumpAsPartOfASample() {
        Mp4Scanner scanner = new Mp4Scanner(Mp4Init.read(init()));
        scanner.scan(ByteBuffer.wrap(
                join(fragment(0, 1000, 59), fragment(59_000, 3600 * 30_000, 1), box("mdat", new byte[5000]))));

        assertThat(scanner.finish().durationUs()).isEqualTo(2_000_000);
    }

    @Test
    void shouldHandleArbitraryBoxes() {
        byte[] good = join(init(), fragment(0, 1000, 60));
        int initLength = init().length;
        for (long seed = 0; seed < 2000; seed++) {
            Random random = new Random(seed);
            byte[] bytes = good.clone();
            for (int i = 0; i < 3; i++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                Mp4Init init = Mp4Init.read(Arrays.copyOf(bytes, initLength));
                Mp4Scanner scanner = new Mp4Scanner(init);
                scanner.scan(ByteBuffer.wrap(bytes, initLength, bytes.length - initLength));
                scanner.finish();
            } catch (MediaException e) {
                assertThat(e.getMessage()).as("seed %d", seed).isNotEmpty();
            }
        }
    }

    private static byte[] init() {
        byte[] trackHeader = ByteBuffer.allocate(84).putInt(12, 1).array();
        byte[] mediaHeader = ByteBuffer.allocate(24).putInt(12, 30_000).array();
        byte[] handler =
                ByteBuffer.allocate(24).putInt(8, Mp4Boxes.name("vide")).array();
        byte[] avcC = {1, 0x42, (byte) 0xc0, 0x1e, 0, 0, 0};
        byte[] entry = box("avc1", join(new byte[78], box("avcC", avcC)));
        byte[] description = box("stsd", join(new byte[] {0, 0, 0, 0, 0, 0, 0, 1}, entry));
        byte[] media = box(
                "mdia", join(box("mdhd", mediaHeader), box("hdlr", handler), box("minf", box("stbl", description))));
        byte[] defaults = ByteBuffer.allocate(24)
                .putInt(4, 1)
                .putInt(12, 1000)
                .putInt(20, 0x1_0000)
                .array();
        return join(
                box("ftyp", new byte[8]),
                box(
                        "moov",
                        join(box("trak", join(box("tkhd", trackHeader), media)), box("mvex", box("trex", defaults)))));
    }

    /** Returns a fragment whose samples all have the same duration, and whose first sample is a key frame. */
    private static byte[] fragment(int start, int duration, int count) {
        byte[] header = ByteBuffer.allocate(12)
                .putInt(0x2_0008)
                .putInt(1)
                .putInt(duration)
                .array();
        byte[] time = ByteBuffer.allocate(8).putInt(4, start).array();
        ByteBuffer run = ByteBuffer.allocate(12 + 4 * Math.min(count, 1000))
                .putInt(0x204)
                .putInt(count)
                .putInt(0);
        return box("moof", box("traf", join(box("tfhd", header), box("tfdt", time), box("trun", run.array()))));
    }

    private static byte[] box(String name, byte[] content) {
        return ByteBuffer.allocate(8 + content.length)
                .putInt(8 + content.length)
                .put(name.getBytes(StandardCharsets.ISO_8859_1))
                .put(content)
                .array();
    }

    private static byte[] join(byte[]... parts) {
        int length = Arrays.stream(parts).mapToInt(part -> part.length).sum();
        ByteBuffer all = ByteBuffer.allocate(length);
        for (byte[] part : parts) {
            all.put(part);
        }
        return all.array();
    }
}
