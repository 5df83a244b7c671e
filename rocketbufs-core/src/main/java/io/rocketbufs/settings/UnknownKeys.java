package io.rocketbufs.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValue;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A check for unknown configuration keys, so that a misspelt key is not silently ignored. */
public final class UnknownKeys {
    private static final Comparator<Map.Entry<String, ConfigValue>> BY_PLACE =
            Comparator.comparingInt(entry -> entry.getValue().origin().lineNumber());

    private UnknownKeys() {}

    /**
     * Checks that every key of a configuration below one of the roots is in the reference.
     *
     * @param given the user's configuration, without the reference
     * @param reference the modules' reference.conf
     * @param roots top-level names that belong to this project; others are not checked
     * @throws SettingsException naming the first unknown key, its file and line, and the nearest known key
     */
    public static void check(Config given, Config reference, Set<String> roots) {
        Set<String> known = new TreeSet<>();
        for (Map.Entry<String, ConfigValue> entry : reference.entrySet()) {
            known.add(entry.getKey());
        }
        given.entrySet().stream()
                .filter(entry -> roots.contains(entry.getKey().split("\\.")[0]) && !known.contains(entry.getKey()))
                .min(BY_PLACE)
                .ifPresent(unknown -> refuse(unknown, known));
    }

    private static void refuse(Map.Entry<String, ConfigValue> unknown, Set<String> known) {
        String nearest = nearest(unknown.getKey(), known);
        throw new SettingsException(
                unknown.getValue().origin(),
                unknown.getKey(),
                "is not a known key" + (nearest == null ? "" : "; did you mean " + nearest + "?"));
    }

    /** Returns the candidate most similar to the word, or null if none is similar enough. */
    static String nearest(String word, Collection<String> candidates) {
        String nearest = null;
        int least = Math.max(2, word.length() / 3) + 1;
        for (String candidate : candidates) {
            int distance = distance(word, candidate);
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        return nearest;
    }

    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
