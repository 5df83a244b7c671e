package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import java.util.Locale;
import java.util.Map;

/**
 * The numbers of batches of a load, which show whether its producers used the requested mode. A producer uses the mode
 * private if the broker cannot provide the requested mode, and also for some batches, for example after it has lost its
 * access.
 *
 * @param requested the mode that the producers were asked to use
 * @param acknowledged number of batches that the broker has acknowledged
 * @param direct number of these batches that producers wrote directly into logs
 */
record LoadBatches(ProduceMode requested, long acknowledged, long direct) {
    /** Returns the sums of these numbers and the given numbers of the same mode. */
    LoadBatches plus(LoadBatches others) {
        return new LoadBatches(requested, acknowledged + others.acknowledged, direct + others.direct);
    }

    /** Returns the mode that the producers used. */
    private ProduceMode used() {
        return acknowledged > 0 && direct == 0 ? ProduceMode.PRIVATE : requested;
    }

    /** Returns true if the producers used the requested mode, or no batch was acknowledged. */
    boolean areAsRequested() {
        return used() == requested;
    }

    /** Adds the fields of the JSON output. */
    void addTo(Map<String, Object> fields) {
        fields.put("mode", lower(used()));
        fields.put("requested_mode", lower(requested));
        fields.put("batches", acknowledged);
        fields.put("direct_batches", direct);
    }

    /** Returns the line of the human-readable output. */
    String asLine() {
        return String.format(
                Locale.ROOT,
                "mode        %s%s; %,d of %,d batches were written directly into logs",
                lower(used()),
                areAsRequested() ? "" : ", not " + lower(requested) + ": the broker cannot provide it",
                direct,
                acknowledged);
    }

    private static String lower(ProduceMode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }
}
