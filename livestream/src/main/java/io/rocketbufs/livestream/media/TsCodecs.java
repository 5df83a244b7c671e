package io.rocketbufs.livestream.media;

import java.nio.ByteBuffer;
import java.util.Locale;

/**
 * A detector of a transport stream's codecs, which examines its first video and audio packets.
 *
 * <p><b>Thread-safety:</b> one thread at a time.
 */
final class TsCodecs {
    private static final int NAL_TYPE_BITS = 0x1f;
    private static final int SEQUENCE_PARAMETERS = 7;

    private String video = "";
    private String audio = "";

    /** Examines the start of a PES packet's payload. */
    void look(TsProgram program, boolean isVideo, ByteBuffer buffer, int from, int end) {
        if (isVideo && video.isEmpty() && program.isH264()) {
            video = h264(buffer, from, end);
        } else if (!isVideo && audio.isEmpty() && program.isAac()) {
            audio = aac(buffer, from, end);
        }
    }

    /**
     * Returns the name of the H.264 codec, including the profile, constraints and level from the sequence parameter
     * set.
     */
    private static String h264(ByteBuffer buffer, int from, int end) {
        for (int i = from; i + 7 <= end; i++) {
            if (buffer.get(i) == 0
                    && buffer.get(i + 1) == 0
                    && buffer.get(i + 2) == 1
                    && (buffer.get(i + 3) & NAL_TYPE_BITS) == SEQUENCE_PARAMETERS) {
                return String.format(
                        Locale.ROOT,
                        "avc1.%02x%02x%02x",
                        buffer.get(i + 4) & 0xff,
                        buffer.get(i + 5) & 0xff,
                        buffer.get(i + 6) & 0xff);
            }
        }
        return "";
    }

    /** Returns the name of the AAC codec, including the profile from the ADTS header. */
    private static String aac(ByteBuffer buffer, int from, int end) {
        boolean isAdts = end - from >= 3 && (buffer.getShort(from) & 0xfff6) == 0xfff0;
        return isAdts ? "mp4a.40." + ((buffer.get(from + 2) >> 6 & 3) + 1) : "";
    }

    String describe(TsProgram program) {
        String pictures = program.videoPid() < 0 ? "" : video.isEmpty() ? program.videoName() : video;
        String sound = program.audioPid() < 0 ? "" : audio.isEmpty() ? program.audioName() : audio;
        return pictures.isEmpty() || sound.isEmpty() ? pictures + sound : pictures + "," + sound;
    }
}
