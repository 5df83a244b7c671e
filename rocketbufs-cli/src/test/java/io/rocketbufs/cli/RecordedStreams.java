package io.rocketbufs.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;

/**
 * A recorder of the output of commands that run in the test's process.
 *
 * <p><i>Thread-safety:</i> any thread may use it while commands print on other threads.
 */
public final class RecordedStreams {
    private final String program;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    /** Creates an empty record for a program. */
    public RecordedStreams(String program) {
        this.program = program;
    }

    /** Returns streams for a command that reads no input. */
    public Streams withoutInput() {
        return withInput(InputStream.nullInputStream());
    }

    /** Returns streams for a command that reads a text. */
    public Streams withInput(String text) {
        return withInput(new ByteArrayInputStream(text.getBytes(UTF_8)));
    }

    /** Returns streams for a command. */
    public Streams withInput(InputStream in) {
        return new Streams(program, in, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8));
    }

    /** Returns the text that the commands have printed to standard output. */
    public String out() {
        return out.toString(UTF_8);
    }

    /** Returns the bytes that the commands have printed to standard output. */
    public byte[] outBytes() {
        return out.toByteArray();
    }

    /** Returns the text that the commands have printed to standard error. */
    public String err() {
        return err.toString(UTF_8);
    }

    /** Clears the recorded output. */
    public void clear() {
        out.reset();
        err.reset();
    }
}
