package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.cli.CommandFailure;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Option;

/** The options that select the format in which {@code consume} writes records. */
final class RecordFormatOptions {
    @Option(
            names = "--raw",
            description = "Writes only the bytes of the values. By default, a newline follows each value that does not"
                    + " end with one.")
    boolean raw;

    @Option(names = "--key", description = "Writes the key and a tab before each value; nothing if there is no key.")
    boolean key;

    @Option(
            names = "--key-separator",
            paramLabel = "TEXT",
            description = "Writes the key and this text before each value, as expected by produce --key-separator.")
    String keySeparator;

    @Option(
            names = "--offsets",
            description = "Writes the partition, the offset and the timestamp before each record, each followed by a"
                    + " tab. The timestamp is in milliseconds since 1970.")
    boolean offsets;

    @Option(
            names = "--json",
            description = "Writes {\"partition\":N,\"offset\":N,\"timestamp\":N,\"key\":TEXT,\"value\":TEXT} on a line"
                    + " for each record. A key or value that does not exist is null, and one that is not UTF-8 is"
                    + " {\"base64\":TEXT}.")
    boolean json;

    /** Rejects mutually exclusive options. */
    void check() {
        exclude(raw && json, "--raw", "--json");
        exclude(raw && offsets, "--raw", "--offsets");
        exclude(json && offsets, "--json", "--offsets");
        exclude(json && key, "--json", "--key");
        exclude(json && keySeparator != null, "--json", "--key-separator");
        exclude(key && keySeparator != null, "--key", "--key-separator");
    }

    private static void exclude(boolean both, String one, String other) {
        if (both) {
            throw CommandFailure.usage(one + " and " + other + " are mutually exclusive");
        }
    }

    /** Returns the selected format. */
    RecordFormat format() {
        if (json) {
            return RecordFormat::writeJson;
        }
        String separator = key ? "\t" : keySeparator;
        byte[] afterKey = separator == null ? null : separator.getBytes(StandardCharsets.UTF_8);
        return RecordFormat.text(offsets, afterKey, !raw);
    }
}
