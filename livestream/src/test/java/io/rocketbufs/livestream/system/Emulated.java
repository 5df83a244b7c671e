package io.rocketbufs.livestream.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.livestream.Https;
import io.rocketbufs.livestream.bench.EmulatedChunk;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Utilities for system tests that push emulated chunks and fetch them from an edge. */
final class Emulated {
    static final int LENGTH = 188 * 200;
    static final int DURATION_MS = 2000;

    private Emulated() {}

    static byte[] chunk(int source, int number) {
        return EmulatedChunk.make(source, number, LENGTH + 188 * (number * 7 % 50), DURATION_MS);
    }

    /** Pushes a chunk and returns it. Fails if the relay does not accept the chunk. */
    static byte[] push(InetSocketAddress ingest, String stream, int number) {
        byte[] chunk = chunk(stream.hashCode(), number);
        assertThat(Https.put(ingest, "/ingest/" + stream + "/i" + number + ".ts", chunk)
                        .statusCode())
                .isEqualTo(200);
        return chunk;
    }

    /** Returns the file names in a stream's playlist, or an empty list if there is no playlist yet. */
    static List<String> files(InetSocketAddress edge, String stream) {
        List<String> files = new ArrayList<>();
        for (String line : playlist(edge, stream).split("\n")) {
            if (!line.isEmpty() && !line.startsWith("#")) {
                files.add(line);
            }
        }
        return files;
    }

    static String playlist(InetSocketAddress edge, String stream) {
        var response = Https.get(edge, "/live/" + stream + "/index.m3u8");
        return response.statusCode() == 200 ? new String(response.body()) : "";
    }

    /** Waits until a stream has a playlist, and returns its media sequence number. */
    static long mediaSequence(InetSocketAddress edge, String stream) {
        String playlist = await().pollInterval(Duration.ofMillis(20))
                .until(() -> playlist(edge, stream), text -> !text.isEmpty());
        return Long.parseLong(playlist.replaceAll("(?s).*#EXT-X-MEDIA-SEQUENCE:([0-9]+)\n.*", "$1"));
    }

    static void awaitFiles(InetSocketAddress edge, String stream, int count) {
        await().pollInterval(Duration.ofMillis(20))
                .untilAsserted(() -> assertThat(files(edge, stream)).hasSize(count));
    }

    static void awaitPlaylist(InetSocketAddress edge, String stream, String text) {
        await().pollInterval(Duration.ofMillis(50))
                .untilAsserted(() -> assertThat(playlist(edge, stream)).contains(text));
    }

    static byte[] fetch(InetSocketAddress edge, String stream, String file) {
        var response = Https.get(edge, "/live/" + stream + "/" + file);
        assertThat(response.statusCode()).as(file).isEqualTo(200);
        return response.body();
    }
}
