package io.rocketbufs.livestream.ingest;

import io.rocketbufs.livestream.IngestSettings;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;

/**
 * The keys that sources need to send streams.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
final class Keys {
    private final List<IngestSettings.Key> keys;

    Keys(List<IngestSettings.Key> keys) {
        this.keys = keys;
    }

    /**
     * Checks that a source may send a stream.
     *
     * @param key key that it presents; empty for none
     * @throws IngestRefusal when it may not send that stream
     */
    void admit(String stream, String key) {
        if (keys.isEmpty()) {
            return;
        }
        boolean known = false;
        for (IngestSettings.Key each : keys) {
            // Compares all keys, so that the time reveals nothing.
            known |= (each.stream().equals("*") || each.stream().equals(stream)) && isEqual(each.key(), key);
        }
        if (!known) {
            throw new IngestRefusal(
                    key.isEmpty() ? 401 : 403,
                    key.isEmpty() ? "needs the stream's key" : "this is not the stream's key");
        }
    }

    private static boolean isEqual(String a, String b) {
        return MessageDigest.isEqual(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
    }
}
