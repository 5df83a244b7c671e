package io.rocketbufs.livestream.bench;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An emulated viewer of one stream. Like a player, it requests the playlist and the chunks over a single connection,
 * starting with the newest chunk. It checks that the chunks arrive on time, in order and intact.
 *
 * <p><b>Thread-safety:</b> the thread of the viewer's connection.
 */
final class BenchViewer implements HttpsClient.HttpsListener {
    private static final int POLLS_PER_CHUNK = 10;
    private static final long RETRY_MS = 500;

    private final HttpsClient client;
    private final InetSocketAddress edge;
    private final String folder;
    private final BenchCounters counters;
    private final AtomicBoolean running;
    private long bornNs;
    private HttpsClient.HttpsConnection connection;
    private PlaylistReader.ListedChunk wanted;
    private long targetMs = 1000;
    private long lastSequence = -1;
    private long dueNs;
    private boolean hasBegun;

    /**
     * Creates a viewer.
     *
     * @param folder path of the stream's folder, with a trailing slash
     * @param running returns false once the viewer must stop
     */
    BenchViewer(
            HttpsClient client, InetSocketAddress edge, String folder, BenchCounters counters, AtomicBoolean running) {
        this.client = client;
        this.edge = edge;
        this.folder = folder;
        this.counters = counters;
        this.running = running;
    }

    void begin() {
        bornNs = System.nanoTime();
        client.connect(edge, this);
    }

    @Override
    public void connected(HttpsClient.HttpsConnection made) {
        connection = made;
        askForPlaylist();
    }

    private void askForPlaylist() {
        wanted = null;
        if (running.get()) {
            connection.get(edge.getHostString(), folder + "index.m3u8");
        } else {
            connection.close();
        }
    }

    @Override
    public void answered(int status, byte[] body) {
        if (wanted != null) {
            onChunk(status, body);
        } else if (status == 200) {
            onPlaylist(PlaylistReader.read(new String(body, StandardCharsets.UTF_8)));
        } else {
            // The stream either has not started yet or has ended.
            if (hasBegun) {
                counters.error("playlist: status " + status);
            }
            connection.later(this::askForPlaylist, RETRY_MS);
        }
    }

    private void onPlaylist(PlaylistReader playlist) {
        targetMs = playlist.targetMs();
        for (PlaylistReader.ListedChunk entry : playlist.entries()) {
            boolean isNewest =
                    entry == playlist.entries().get(playlist.entries().size() - 1);
            if (hasBegun ? entry.sequence() > lastSequence : isNewest) {
                wanted = entry;
                connection.get(edge.getHostString(), folder + entry.file());
                return;
            }
        }
        connection.later(this::askForPlaylist, Math.max(20, targetMs / POLLS_PER_CHUNK));
    }

    private void onChunk(int status, byte[] body) {
        long now = System.nanoTime();
        if (status != 200) {
            counters.error("chunk: status " + status);
        } else {
            counters.chunks.increment();
            counters.bytes.add(body.length);
            if (!isGood(body)) {
                counters.corrupted.increment();
            }
            account(now);
        }
        lastSequence = wanted.sequence();
        askForPlaylist();
    }

    private void account(long now) {
        if (!hasBegun) {
            hasBegun = true;
            dueNs = now;
            BenchCounters.record(counters.startup, now - bornNs);
        } else {
            long lateness = now - dueNs;
            BenchCounters.record(counters.lateness, lateness);
            counters.skipped.add(wanted.sequence() - lastSequence - 1);
            counters.late.add(lateness > wanted.durationNs() ? 1 : 0);
        }
        dueNs += wanted.durationNs();
    }

    /**
     * Returns true if a chunk is valid. Checks every byte of a chunk from an emulated source; in other chunks, checks
     * only the start of each packet or box.
     */
    private static boolean isGood(byte[] body) {
        if (EmulatedChunk.isEmulated(body)) {
            return EmulatedChunk.isIntact(body);
        }
        if (body.length > 0 && body[0] == 'G') {
            for (int i = 0; i < body.length; i += EmulatedChunk.PACKET_LENGTH) {
                if (body[i] != 'G') {
                    return false;
                }
            }
            return body.length % EmulatedChunk.PACKET_LENGTH == 0;
        }
        return body.length > 8;
    }

    @Override
    public void lost(String why) {
        if (running.get()) {
            counters.error("connection: " + why);
            hasBegun = false;
            client.retry(this::begin, RETRY_MS);
        }
    }
}
