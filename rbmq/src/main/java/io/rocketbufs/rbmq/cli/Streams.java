package io.rocketbufs.rbmq.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Where a command reads and writes: the process's own streams, or pipes where a command runs as a thread of another.
 *
 * @param in bytes as they come
 * @param out what the command is asked for
 * @param err everything else
 */
record Streams(InputStream in, PrintStream out, PrintStream err) {
    /** The process's own; in and out without a layer that decodes, locks or copies. */
    static Streams ofProcess() {
        return new Streams(
                new FileInputStream(FileDescriptor.in),
                new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8),
                System.err);
    }

    /** A line for people. */
    void say(String line) {
        err.println("rbmq: " + line);
    }

    /** A line for scripts, at once. */
    void tell(String line) {
        synchronized (out) {
            out.println(line);
            out.flush();
        }
    }
}
