package io.rocketbufs.livestream.ingest;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.rocketbufs.livestream.relay.RelayStream;
import io.rocketbufs.livestream.relay.RelayStreams;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A handler for the playlist of an HLS push. Because edges create their own playlists, the handler reads only the
 * target duration and, if the stream ends, the name of the last file.
 */
final class PlaylistBody implements Body {
    private static final int MAX_LENGTH = 1 << 20;
    private static final Pattern TARGET_DURATION = Pattern.compile("(?m)^#EXT-X-TARGETDURATION:(\\d{1,9})\\s*$");

    private final RelayStreams streams;
    private final String name;
    private final String source;
    private final ByteArrayOutputStream text = new ByteArrayOutputStream();

    PlaylistBody(RelayStreams streams, String name, String source) {
        this.streams = streams;
        this.name = name;
        this.source = source;
    }

    @Override
    public boolean take(ByteBuf bytes) {
        if (text.size() + bytes.readableBytes() > MAX_LENGTH) {
            throw new IngestRefusal(413, "the playlist is longer than " + MAX_LENGTH + " bytes");
        }
        byte[] copy = new byte[bytes.readableBytes()];
        bytes.getBytes(bytes.readerIndex(), copy);
        text.writeBytes(copy);
        return true;
    }

    @Override
    public boolean end() {
        String playlist = text.toString(StandardCharsets.UTF_8);
        if (!playlist.startsWith("#EXTM3U")) {
            throw new IngestRefusal(415, "the body is not a playlist");
        }
        RelayStream stream = streams.find(name);
        if (stream != null && stream.isFrom(source)) {
            Matcher announced = TARGET_DURATION.matcher(playlist);
            if (announced.find()) {
                stream.announceTargetDuration(Long.parseLong(announced.group(1)));
            }
            if (playlist.contains("#EXT-X-ENDLIST")) {
                stream.endAfter(lastFile(playlist));
            } else {
                stream.continues();
            }
        }
        return true;
    }

    /** Returns the name of the last file in a playlist, or an empty string if there is none. */
    private static String lastFile(String playlist) {
        String last = playlist.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .reduce("", (before, line) -> line);
        try {
            String path = new QueryStringDecoder(last).path();
            return path.substring(path.lastIndexOf('/') + 1);
        } catch (IllegalArgumentException e) {
            throw new IngestRefusal(400, "the playlist contains a malformed URL: " + e.getMessage());
        }
    }

    @Override
    public String stream() {
        return name;
    }

    @Override
    public void abort() {
        // An incomplete playlist has no effect.
    }
}
