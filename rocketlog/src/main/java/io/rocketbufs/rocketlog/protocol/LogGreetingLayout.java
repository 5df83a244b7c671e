package io.rocketbufs.rocketlog.protocol;

import io.rocketbufs.text.PlainText;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The greeting of a client.
 *
 * <pre>
 *  0        4         5
 *  +--------+---------+----------------------+
 *  | "RLOG" | version | name, 0 to 256 bytes |
 *  +--------+---------+----------------------+
 * </pre>
 *
 * <p><i>Thread-safety:</i> stateless.
 */
public final class LogGreetingLayout {
    /** The protocol version. */
    public static final int VERSION = 5;

    private static final byte[] MAGIC = "RLOG".getBytes(StandardCharsets.US_ASCII);
    private static final int NAME = MAGIC.length + 1;
    private static final int LONGEST_NAME = 256;
    private static final String TOO_LONG = "is longer than " + LONGEST_NAME + " bytes";

    private LogGreetingLayout() {}

    /**
     * Returns why a client cannot have the given name, or null if it can. A name must not contain characters that the
     * broker would replace.
     */
    public static String nameProblem(String name) {
        if (name.getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME) {
            return TOO_LONG;
        }
        return PlainText.of(name).equals(name)
                ? null
                : "contains a control character, a line separator, or a mark that changes the direction of text";
    }

    /** Returns the greeting of a client with the given name, which {@link #nameProblem} accepts. */
    public static byte[] write(String name) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        byte[] greeting = Arrays.copyOf(MAGIC, NAME + text.length);
        greeting[MAGIC.length] = VERSION;
        System.arraycopy(text, 0, greeting, NAME, text.length);
        return greeting;
    }

    /** Returns why the bytes are not a greeting that this version supports, or null if they are such a greeting. */
    public static String problem(byte[] greeting) {
        if (greeting.length < NAME || !Arrays.equals(greeting, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
            return "the greeting is not that of a client of rocketlog; this port accepts only clients of rocketlog";
        }
        if (greeting[MAGIC.length] != VERSION) {
            return "the client has version " + (greeting[MAGIC.length] & 0xff)
                    + " of the protocol, but this broker has version " + VERSION
                    + "; use the same release on both sides";
        }
        return greeting.length > NAME + LONGEST_NAME ? "the client's name " + TOO_LONG + "; shorten it" : null;
    }

    /** Returns the name in a valid greeting, without characters that could forge log lines. */
    public static String name(byte[] greeting) {
        return PlainText.of(new String(greeting, NAME, greeting.length - NAME, StandardCharsets.UTF_8));
    }
}
