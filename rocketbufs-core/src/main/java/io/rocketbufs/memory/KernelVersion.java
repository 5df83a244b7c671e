package io.rocketbufs.memory;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The version of the Linux kernel. */
final class KernelVersion {
    private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)");

    private KernelVersion() {}

    /**
     * Returns true if a kernel version is lower than the given one.
     *
     * @param version version as reported by the system, for example {@code 6.1.0-25-amd64}; a version in an unknown
     *     format is not lower
     */
    static boolean isBefore(String version, int major, int minor) {
        Matcher found = VERSION.matcher(version);
        if (!found.lookingAt()) {
            return false;
        }
        int foundMajor = Integer.parseInt(found.group(1));
        return foundMajor < major || foundMajor == major && Integer.parseInt(found.group(2)) < minor;
    }
}
