package io.rocketbufs.cli;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A limit on the number of log lines of each kind, both per peer and across all peers, so that no peer can fill a disk.
 * Suppressed lines are counted.
 *
 * <p>A kind is a log statement, identified by its text without its arguments. The peer is the first IP address in the
 * line. Applying the limit where lines are written covers every module and library without changes to them. A peer
 * cannot choose the kind of a line. A client whose name contains a forged address can, at most, use up the limit across
 * all peers.
 *
 * <p><b>Thread-safety:</b> not thread-safe. <b>Ownership:</b> stores at most one peer for each admitted line, so its
 * memory use is also limited.
 */
final class LogLimit {
    /** The counting period in ms, after which all counts restart at 0. */
    static final long PERIOD_MS = 60_000;

    /** Maximum number of lines of one kind about one peer within a period. */
    static final int MAX_LINES_OF_PEER = 50;

    /** Maximum number of lines of one kind within a period. */
    static final int MAX_LINES_OF_KIND = 500;

    /**
     * Maximum number of kinds. Without this limit, log statements with variable text instead of arguments would create
     * an unlimited number of kinds.
     */
    private static final int MAX_KINDS = 200;

    private static final String OTHER = "other";
    private static final Pattern ADDRESS = Pattern.compile(
            "(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|\\[[0-9a-f:.]+(?:%[^\\]\\s]+)?]|\\d{1,3}(?:\\.\\d{1,3}){3}");

    private final Map<String, Kind> kinds = new HashMap<>();
    private long periodStartMs;

    /** The counts of one kind in this period. */
    private static final class Kind {
        private final Map<String, Integer> linesByPeer = new HashMap<>();
        private int admitted;
        private int leftOut;
        private String lastLeftOut;

        boolean admits(String peer) {
            int lines = linesByPeer.getOrDefault(peer, 0);
            if (admitted == MAX_LINES_OF_KIND || lines == MAX_LINES_OF_PEER) {
                return false;
            }
            linesByPeer.put(peer, lines + 1);
            admitted++;
            return true;
        }
    }

    /**
     * Counts a line and decides whether to log it.
     *
     * @param kind the log statement
     * @return true to log the line
     */
    boolean admits(String kind, String line) {
        boolean isKnown = kinds.containsKey(kind) || kinds.size() < MAX_KINDS;
        Kind counts = kinds.computeIfAbsent(isKnown ? kind : OTHER, any -> new Kind());
        if (counts.admits(peer(line))) {
            return true;
        }
        counts.leftOut++;
        counts.lastLeftOut = line;
        return false;
    }

    private static String peer(String line) {
        Matcher address = ADDRESS.matcher(line);
        return address.find() ? address.group() : "";
    }

    /**
     * Returns whether the period is over. If it is, the next period must be {@linkplain #start started} before the next
     * line.
     */
    boolean isOver(long nowMs) {
        // Otherwise, after the clock is set back, the period would last until the clock has caught up.
        return nowMs < periodStartMs || nowMs - periodStartMs >= PERIOD_MS;
    }

    /** Starts the next period. Returns one line for each kind that had suppressed lines in the previous period. */
    List<String> start(long nowMs) {
        periodStartMs = nowMs;
        List<String> summaries = kinds.values().stream()
                .filter(counts -> counts.leftOut > 0)
                .map(counts -> counts.leftOut + " similar lines were suppressed: " + counts.lastLeftOut)
                .toList();
        kinds.clear();
        return summaries;
    }
}
