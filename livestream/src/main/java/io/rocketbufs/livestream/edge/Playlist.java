package io.rocketbufs.livestream.edge;

import io.rocketbufs.livestream.Container;
import io.rocketbufs.livestream.StreamDescription;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/** A formatter of media playlists (RFC 8216). */
final class Playlist {
    private static final double MICROS = 1e6;
    private static final long DATE_TOLERANCE_MS = 500;

    private Playlist() {}

    /**
     * Returns the text of a playlist.
     *
     * @param chunks chunks to list, at least one
     * @param targetDurationS upper limit on the chunks' rounded durations
     * @param discontinuities number of discontinuities before the first chunk
     */
    static String of(List<EdgeChunk> chunks, long targetDurationS, long discontinuities, boolean ended) {
        EdgeChunk first = chunks.get(0);
        boolean hasMaps = chunks.stream().anyMatch(chunk -> hasMap(chunk.description()));
        StringBuilder out = new StringBuilder("#EXTM3U\n");
        out.append("#EXT-X-VERSION:").append(hasMaps ? 7 : 6).append('\n');
        out.append("#EXT-X-TARGETDURATION:").append(targetDurationS).append('\n');
        out.append("#EXT-X-MEDIA-SEQUENCE:").append(first.mediaSequence()).append('\n');
        if (discontinuities > 0 || chunks.stream().anyMatch(EdgeChunk::isDiscontinuity)) {
            out.append("#EXT-X-DISCONTINUITY-SEQUENCE:").append(discontinuities).append('\n');
        }
        if (chunks.stream().allMatch(chunk -> chunk.header().isKeyFrame())) {
            out.append("#EXT-X-INDEPENDENT-SEGMENTS\n");
        }
        EdgeChunk before = null;
        for (EdgeChunk chunk : chunks) {
            append(out, before, chunk);
            before = chunk;
        }
        return out.append(ended ? "#EXT-X-ENDLIST\n" : "").toString();
    }

    private static void append(StringBuilder out, EdgeChunk before, EdgeChunk chunk) {
        if (chunk.isDiscontinuity()) {
            out.append("#EXT-X-DISCONTINUITY\n");
        }
        StreamDescription now = chunk.description();
        if (hasMap(now)
                && (before == null
                        || chunk.isDiscontinuity()
                        || !initName(before.description()).equals(initName(now)))) {
            out.append("#EXT-X-MAP:URI=\"").append(initName(now)).append("\"\n");
        }
        if (before == null || chunk.isDiscontinuity() || isElsewhen(before, chunk)) {
            Instant start = Instant.ofEpochMilli(chunk.header().startMs()).truncatedTo(ChronoUnit.MILLIS);
            out.append("#EXT-X-PROGRAM-DATE-TIME:").append(start).append('\n');
        }
        out.append(String.format(Locale.ROOT, "#EXTINF:%.6f,\n", chunk.header().durationUs() / MICROS));
        out.append(chunk.fileName()).append('\n');
    }

    /**
     * Returns true if a chunk's date differs from the date that follows from the previous chunk's date and duration.
     */
    private static boolean isElsewhen(EdgeChunk before, EdgeChunk chunk) {
        long expected = before.header().startMs() + before.header().durationUs() / 1000;
        return Math.abs(chunk.header().startMs() - expected) > DATE_TOLERANCE_MS;
    }

    private static boolean hasMap(StreamDescription description) {
        return description.container() == Container.FMP4;
    }

    /** Returns the file name of an init segment. */
    static String initName(StreamDescription description) {
        return "init-" + Long.toHexString(description.epoch()) + "-" + description.generation() + ".mp4";
    }
}
