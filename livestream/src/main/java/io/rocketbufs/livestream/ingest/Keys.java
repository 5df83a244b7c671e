package io.rocketbufs.livestream.ingest;

import io.rocketbufs.livestream.IngestSettings;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;

/**
 * The keys that allow sources to send streams.
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
     * @param key key that the source presents; empty if it presents none
     * @throws IngestRefusal if the source may not send that stream
     */
    void admit(String stream, String key) {
        if (keys.isEmpty()) {
            return;
        }
        boolean known = false;
        for (IngestSettings.Key each : keys) {
            // Compares all keys, so that the time for the check reveals nothing about them.
            known |= (each.stream().equals("*") || each.stream().equals(stream)) && isEqual(each.key(), key);
        }
        if (!known) {
            throw new IngestRefusal(
                    key.isEmpty() ? 401 : 403,
                    key.isEmpty() ? "the stream's key is required" : "the key is not valid for the stream");
        }
    }

    private static boolean isEqual(String a, String b) {
        return MessageDigest.isEqual(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
    }
}
