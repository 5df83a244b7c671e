package io.rocketbufs.rbmq.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

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

    /** True when the process's standard output has a reader, who may go when it has enough; a file has none. */
    static boolean outHasReader() {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
            return !target.startsWith("/") || target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException e) {
            return true;
        }
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
