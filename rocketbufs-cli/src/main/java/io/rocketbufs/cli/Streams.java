package io.rocketbufs.cli;

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
 * <p><b>Thread-safety:</b> any thread.
 *
 * @param program in front of each line for people
 * @param in bytes as they come
 * @param out what the command is asked for
 * @param err everything else
 */
public record Streams(String program, InputStream in, PrintStream out, PrintStream err) {
    /** The process's own; in and out without a layer that decodes, locks or copies. */
    public static Streams ofProcess(String program) {
        return new Streams(
                program,
                new FileInputStream(FileDescriptor.in),
                new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8),
                System.err);
    }

    /** True when the process's standard output has a reader, who may go when it has enough; a file has none. */
    public static boolean outHasReader() {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
            return !target.startsWith("/") || target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException e) {
            return true;
        }
    }

    /** A line for people. */
    public void say(String line) {
        err.println(program + ": " + line);
    }

    /** A line for scripts, at once. */
    public void tell(String line) {
        synchronized (out) {
            out.println(line);
            out.flush();
        }
    }
}
