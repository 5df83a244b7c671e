package io.rocketbufs.livestream.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * The contents of a media playlist.
 *
 * @param entries listed chunks, oldest first
 * @param targetMs target duration in milliseconds
 * @param ended true if no more chunks will follow
 */
record PlaylistReader(List<ListedChunk> entries, long targetMs, boolean ended) {
    private static final String SEQUENCE = "#EXT-X-MEDIA-SEQUENCE:";
    private static final String TARGET = "#EXT-X-TARGETDURATION:";
    private static final String DURATION = "#EXTINF:";

    /**
     * A chunk listed in the playlist.
     *
     * @param sequence media sequence number of the chunk
     * @param durationNs playing time of the chunk in nanoseconds
     * @param file file name of the chunk
     */
    record ListedChunk(long sequence, long durationNs, String file) {}

    static PlaylistReader read(String text) {
        List<ListedChunk> entries = new ArrayList<>();
        long sequence = 0;
        long targetMs = 1000;
        double duration = 0;
        for (String line : text.split("\n")) {
            if (line.startsWith(SEQUENCE)) {
                sequence = Long.parseLong(line.substring(SEQUENCE.length()));
            } else if (line.startsWith(TARGET)) {
                targetMs = 1000 * Long.parseLong(line.substring(TARGET.length()));
            } else if (line.startsWith(DURATION)) {
                duration = Double.parseDouble(line.substring(DURATION.length(), line.indexOf(',')));
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                entries.add(new ListedChunk(sequence++, Math.round(duration * 1e9), line));
            }
        }
        return new PlaylistReader(entries, targetMs, text.contains("#EXT-X-ENDLIST"));
    }
}
