package io.rocketbufs.livestream.edge;

import io.rocketbufs.livestream.Container;
import io.rocketbufs.livestream.StreamDescription;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A snapshot of a stream that all viewers share. Whenever the stream changes, a new snapshot replaces it.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
final class StreamView {
    /** The view before the first chunk. */
    static final StreamView EMPTY = new StreamView(List.of(), new byte[0], "", false);

    private final List<EdgeChunk> chunks;
    private final byte[] playlist;
    private final String playlistTag;
    private final boolean ended;
    private final Map<String, EdgeChunk> byFileName = new HashMap<>();
    private final Map<String, byte[]> inits = new HashMap<>();

    private StreamView(List<EdgeChunk> chunks, byte[] playlist, String playlistTag, boolean ended) {
        this.chunks = chunks;
        this.playlist = playlist;
        this.playlistTag = playlistTag;
        this.ended = ended;
        for (EdgeChunk chunk : chunks) {
            StreamDescription description = chunk.description();
            byFileName.put(chunk.fileName(), chunk);
            if (description.container() == Container.FMP4) {
                inits.put(Playlist.initName(description), description.init());
            }
        }
    }

    /**
     * Creates a view.
     *
     * @param chunks all chunks that can be requested
     * @param from index of the first chunk in the playlist; earlier chunks are still served on request
     * @param to index after the last chunk in the playlist; later chunks have arrived but are not listed yet
     */
    static StreamView of(
            List<EdgeChunk> chunks, int from, int to, long targetDurationS, long discontinuities, boolean ended) {
        if (chunks.isEmpty()) {
            return EMPTY;
        }
        List<EdgeChunk> listed = chunks.subList(from, to);
        String text = Playlist.of(listed, targetDurationS, discontinuities, ended);
        EdgeChunk last = listed.get(listed.size() - 1);
        // The tag is weak because the playlist has the same tag with and without compression.
        String tag = "W/\"" + last.id() + "-" + listed.size() + (ended ? "-end\"" : "\"");
        return new StreamView(List.copyOf(chunks), text.getBytes(StandardCharsets.UTF_8), tag, ended);
    }

    boolean isEmpty() {
        return chunks.isEmpty();
    }

    boolean isEnded() {
        return ended;
    }

    byte[] playlist() {
        return playlist;
    }

    String playlistTag() {
        return playlistTag;
    }

    /** Returns the chunk with the given file name, or null if there is none. */
    EdgeChunk chunk(String fileName) {
        return byFileName.get(fileName);
    }

    /** Returns the init segment with the given file name, or null if there is none. */
    byte[] init(String fileName) {
        return inits.get(fileName);
    }

    /** Returns the newest chunk, or null if there is none. */
    EdgeChunk newest() {
        return chunks.isEmpty() ? null : chunks.get(chunks.size() - 1);
    }

    int chunkCount() {
        return chunks.size();
    }
}
