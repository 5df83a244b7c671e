package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.CommandFailure;
import picocli.CommandLine.Option;

/** The options of commands that write messages to standard output. */
final class FormatOptions {
    @Option(names = "--raw", description = "Writes only the bytes of the messages, without a newline.")
    boolean raw;

    @Option(
            names = "--headers",
            description =
                    "Writes the headers before each message: a line `KEY: VALUE` for each, and an empty line. A value"
                            + " that is not UTF-8, or has control characters, is written as `KEY:: BASE64`. A key that"
                            + " contains a colon, or begins with a quotation mark, is written as a JSON string.")
    boolean headers;

    @Option(
            names = "--json",
            description =
                    "Writes {\"topic\":…,\"headers\":{…},\"message\":…} on a line for each message; \"headers\" is"
                            + " absent if there are none. \"base64\" replaces \"message\", and {\"base64\":…}"
                            + " replaces the value of a header, if it is not UTF-8. A key that occurs more than once"
                            + " has an array of values.")
    boolean json;

    /** Rejects mutually exclusive options. */
    void check() {
        if (raw && json) {
            throw CommandFailure.usage("--raw and --json are mutually exclusive");
        }
        if (raw && headers) {
            throw CommandFailure.usage("--raw and --headers are mutually exclusive");
        }
    }

    /** Returns the requested format, or {@code line} if none of these options is present. */
    MessageFormat format(MessageFormat line) {
        if (json) {
            return new MessageFormat.JsonLine();
        }
        if (headers) {
            return new MessageFormat.WithHeaders(line);
        }
        return raw ? new MessageFormat.Raw() : line;
    }
}
