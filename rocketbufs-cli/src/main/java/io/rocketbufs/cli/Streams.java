package io.rocketbufs.cli;

import io.rocketbufs.text.PlainText;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The streams of a command: the process's streams, or pipes if the command runs on a thread of another program.
 *
 * <p><b>Thread-safety:</b> any thread may use it.
 *
 * @param program name of the program, which prefixes each message
 * @param in unbuffered input
 * @param out the command's results
 * @param err all other output
 */
public record Streams(String program, InputStream in, PrintStream out, PrintStream err) {
    /** Returns the process's own streams. Input and output have no layers that decode, lock or copy. */
    public static Streams ofProcess(String program) {
        return new Streams(program, new ProcessInput(), new ProcessOutput(), System.err);
    }

    /**
     * Standard input, which uses only plain reads. The methods of a file stream that read everything also seek, which a
     * pipe does not support.
     */
    private static final class ProcessInput extends FilterInputStream {
        private ProcessInput() {
            super(new FileInputStream(FileDescriptor.in));
        }
    }

    /** Standard output without a buffer. */
    private static final class ProcessOutput extends PrintStream {
        private ProcessOutput() {
            super(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        }
    }

    /** Returns whether the process's standard output has a reader, which may close it early. A file has no reader. */
    public static boolean outHasReader() {
        String target = target(1);
        return !target.startsWith("/") || isTerminal(target);
    }

    /** Returns whether input comes from a terminal. */
    public boolean inIsTerminal() {
        return in instanceof ProcessInput && isTerminal(target(0));
    }

    /** Returns whether results go to a terminal. */
    public boolean outIsTerminal() {
        return out instanceof ProcessOutput && isTerminal(target(1));
    }

    private static boolean isTerminal(String target) {
        return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
    }

    /**
     * Returns the target of one of this process's descriptors: a path or another string, or an empty string if unknown.
     */
    private static String target(int descriptor) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
        } catch (IOException | UnsupportedOperationException e) {
            return "";
        }
    }

    /**
     * Prints a message for users to {@code err}. Replaces characters that a peer's name could use to imitate another
     * message; see {@link PlainText}.
     */
    public void say(String line) {
        err.println(program + ": " + PlainText.ofLines(line));
    }

    /** Prints a line for scripts to {@code out}, and flushes it. */
    public void tell(String line) {
        synchronized (out) {
            out.println(line);
            out.flush();
        }
    }
}
