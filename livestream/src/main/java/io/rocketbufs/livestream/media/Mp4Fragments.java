package io.rocketbufs.livestream.media;

import java.nio.ByteBuffer;

/**
 * The start time and the duration of a chunk, according to the metadata of its fragments. Both refer to the chunk's
 * video track, or to the first track if there is no video.
 *
 * <p><b>Thread-safety:</b> one thread at a time.
 */
final class Mp4Fragments {
    private static final int TRAF = Mp4Boxes.name("traf");
    private static final int TFHD = Mp4Boxes.name("tfhd");
    private static final int TFDT = Mp4Boxes.name("tfdt");
    private static final int TRUN = Mp4Boxes.name("trun");
    private static final int IS_NO_KEY_FRAME = 0x1_0000;
    private static final double MICROS = 1e6;
    /**
     * Maximum duration that is counted for a sample. A sample's stated duration extends to the next sample, even if
     * there is a jump in the timestamps between them.
     */
    private static final long MAX_SAMPLE_S = 5;

    private final Mp4Init init;
    private Mp4Track track;
    private long start = -1;
    private long duration;
    private long lastSample;
    private boolean keyFrame;

    // Values from the traf box that is currently being read.
    private Mp4Track current;
    private long sampleDuration;
    private int sampleFlags;

    Mp4Fragments(Mp4Init init) {
        this.init = init;
    }

    void read(ByteBuffer moof) {
        Mp4Boxes.each(moof, (name, content) -> {
            if (name == TRAF) {
                current = null;
                Mp4Boxes.each(content, this::box);
            }
        });
    }

    private void box(int name, ByteBuffer content) {
        if (name == TFHD) {
            header(content);
        } else if (current != null && current == track) {
            if (name == TFDT && start < 0) {
                start = content.get(0) == 0 ? content.getInt(4) & 0xffff_ffffL : content.getLong(4);
            } else if (name == TRUN) {
                run(content);
            }
        }
    }

    private void header(ByteBuffer tfhd) {
        int flags = tfhd.getInt(0);
        current = init.track(tfhd.getInt(4));
        if (current == null) {
            throw new MediaException(
                    "has data of track " + tfhd.getInt(4) + ", which its init segment does not define");
        }
        if (track == null && (current.isVideo() || !init.hasVideo())) {
            track = current;
        }
        int at = 8 + ((flags & 1) != 0 ? Long.BYTES : 0) + ((flags & 2) != 0 ? Integer.BYTES : 0);
        sampleDuration = current.defaultDuration() & 0xffff_ffffL;
        sampleFlags = current.defaultFlags();
        if ((flags & 8) != 0) {
            sampleDuration = tfhd.getInt(at) & 0xffff_ffffL;
            at += Integer.BYTES;
        }
        at += (flags & 0x10) != 0 ? Integer.BYTES : 0;
        if ((flags & 0x20) != 0) {
            sampleFlags = tfhd.getInt(at);
        }
    }

    private void run(ByteBuffer trun) {
        int flags = trun.getInt(0);
        int count = trun.getInt(4);
        int at = 8 + ((flags & 1) != 0 ? Integer.BYTES : 0);
        int firstFlags = sampleFlags;
        if ((flags & 4) != 0) {
            firstFlags = trun.getInt(at);
            at += Integer.BYTES;
        }
        int sampleLength = Integer.bitCount(flags & 0xf00) * Integer.BYTES;
        if (count < 0 || sampleLength > 0 && count > (trun.limit() - at) / sampleLength) {
            throw new MediaException("has a run of " + count + " samples that does not fit into its box");
        }
        if ((flags & 0x400) != 0 && (flags & 4) == 0 && count > 0) {
            firstFlags = trun.getInt(at + Integer.bitCount(flags & 0x300) * Integer.BYTES);
        }
        if (duration == 0 && count > 0) {
            keyFrame = (firstFlags & IS_NO_KEY_FRAME) == 0;
        }
        for (int i = 0; i < count; i++) {
            add((flags & 0x100) == 0 ? sampleDuration : trun.getInt(at + i * sampleLength) & 0xffff_ffffL);
        }
    }

    private void add(long ticks) {
        if (ticks <= MAX_SAMPLE_S * track.timescale()) {
            lastSample = ticks;
        }
        duration += lastSample;
    }

    ChunkFacts facts() {
        if (track == null) {
            throw new MediaException("has no fragment of the track that determines its duration");
        }
        return new ChunkFacts(
                start < 0 ? ChunkFacts.UNKNOWN : toMicros(start), toMicros(duration), keyFrame, init.codecs());
    }

    private long toMicros(long ticks) {
        return Math.round(ticks * MICROS / track.timescale());
    }
}
