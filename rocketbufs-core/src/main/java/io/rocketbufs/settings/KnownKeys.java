package io.rocketbufs.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The keys that a program recognizes, so that a misspelt key is not silently ignored.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
public final class KnownKeys {
    private static final int SHORT_ROOT = 5;

    private final Set<String> known = new TreeSet<>();
    private final Set<String> roots;
    private final List<String> openKeys;
    private final boolean allowsOtherPrograms;

    /** An unknown key, and the known key that it resembles; null if there is none. */
    record UnknownKey(SettingsException problem, String nearest) {}

    /**
     * Creates the set of known keys.
     *
     * @param reference the modules' reference.conf
     * @param roots top-level names that belong to this project
     * @param openKeys sections that may contain any key
     * @param allowsOtherPrograms true to allow keys under other top-level names, unless the name resembles one of the
     *     roots
     */
    public KnownKeys(Config reference, Set<String> roots, List<String> openKeys, boolean allowsOtherPrograms) {
        for (Map.Entry<String, ConfigValue> entry : reference.entrySet()) {
            String key = entry.getKey();
            if (roots.contains(rootOf(key))) {
                known.add(key);
            }
        }
        this.roots = new TreeSet<>(roots);
        this.openKeys = openKeys;
        this.allowsOtherPrograms = allowsOtherPrograms;
    }

    /** Returns the unknown keys of a configuration. */
    List<UnknownKey> in(Config given) {
        List<UnknownKey> unknown = new ArrayList<>();
        for (Map.Entry<String, ConfigValue> entry : given.entrySet()) {
            if (!isAllowed(entry.getKey())) {
                unknown.add(unknown(entry));
            }
        }
        return unknown;
    }

    private boolean isAllowed(String key) {
        String root = rootOf(key);
        if (!roots.contains(root)) {
            return allowsOtherPrograms && roots.stream().noneMatch(known -> isMisspelt(root, known));
        }
        return known.contains(key) || openKeys.stream().anyMatch(open -> key.startsWith(open + "."));
    }

    /** Returns true if a top-level name differs from a root by one edit, or by at most two if the root is long. */
    private static boolean isMisspelt(String name, String root) {
        return SimilarNames.distance(name.toLowerCase(Locale.ROOT), root) <= (root.length() <= SHORT_ROOT ? 1 : 2);
    }

    private UnknownKey unknown(Map.Entry<String, ConfigValue> entry) {
        String key = entry.getKey();
        boolean isSection = known.stream().anyMatch(each -> each.startsWith(key + "."));
        String nearest = isSection ? null : SimilarNames.nearest(key, known);
        String what = isSection ? "is a section, which needs keys in braces" : "is not a known key";
        if (nearest != null) {
            what += "; did you mean " + nearest + "?";
        } else if (!roots.contains(rootOf(key))) {
            what += "; keys begin with " + String.join(" or ", roots);
        }
        return new UnknownKey(new SettingsException(entry.getValue().origin(), key, what), nearest);
    }

    private static String rootOf(String key) {
        return ConfigUtil.splitPath(key).get(0);
    }
}
