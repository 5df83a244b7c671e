package io.rocketbufs.rbmq.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rocketbufs.cli.Streams;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;

/**
 * The result of a command that has run in the process of the test, with an empty standard input.
 *
 * @param code its exit code
 * @param out its standard output
 * @param err its standard error
 */
record FinishedCommand(int code, String out, String err) {
    /** Runs a command, whose words are separated by spaces. */
    static FinishedCommand run(String command) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Streams streams = new Streams(
                "rbmq",
                InputStream.nullInputStream(),
                new PrintStream(out, true, UTF_8),
                new PrintStream(err, true, UTF_8));
        int code = Main.run(command.split(" "), streams);
        return new FinishedCommand(code, out.toString(UTF_8), err.toString(UTF_8));
    }
}
