package io.rocketbufs.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The arguments of this process, decoded as UTF-8. The JVM decodes them using the locale's encoding and replaces bytes
 * that it cannot decode, which could silently change a message.
 */
public final class ProcessArguments {
    private static final char REPLACEMENT = '\uFFFD';

    private ProcessArguments() {}

    /**
     * Returns the arguments as they were passed to the process.
     *
     * @param decoded the arguments as decoded by the JVM
     * @return the arguments; an argument that is not valid UTF-8 contains U+FFFF, which {@link Commands} refuses
     */
    public static String[] of(String[] decoded) {
        return of(decoded, Path.of("/proc/self/cmdline"));
    }

    static String[] of(String[] decoded, Path commandLine) {
        if (isAscii(String.join("", decoded))) {
            return decoded;
        }
        try {
            List<byte[]> all = split(Files.readAllBytes(commandLine));
            String[] arguments = new String[decoded.length];
            for (int i = 0; i < arguments.length; i++) {
                byte[] bytes = all.get(all.size() - arguments.length + i);
                if (!mayBe(bytes, decoded[i])) {
                    return withoutCommandLine(decoded);
                }
                arguments[i] = decode(bytes);
            }
            return arguments;
        } catch (IOException | IndexOutOfBoundsException e) {
            return withoutCommandLine(decoded);
        }
    }

    /**
     * Returns whether the bytes may belong to the decoded argument. They do not if the JVM has read arguments from a
     * file ({@code java @file}). An ASCII argument is the same in every encoding.
     */
    private static boolean mayBe(byte[] bytes, String decoded) {
        String ascii = new String(bytes, StandardCharsets.ISO_8859_1);
        return isAscii(decoded) ? ascii.equals(decoded) : !isAscii(ascii);
    }

    private static boolean isAscii(String text) {
        return text.chars().allMatch(sign -> sign < 0x80);
    }

    /**
     * Marks the bytes that the JVM has replaced. Without the command line, they cannot be distinguished from a U+FFFD
     * in the original argument.
     */
    private static String[] withoutCommandLine(String[] decoded) {
        String[] arguments = decoded.clone();
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = arguments[i].replace(REPLACEMENT, Commands.NOT_UTF_8);
        }
        return arguments;
    }

    private static String decode(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return new String(bytes, StandardCharsets.UTF_8).replace(REPLACEMENT, Commands.NOT_UTF_8);
        }
    }

    /** Splits a command line in which every argument ends with 0x00. */
    private static List<byte[]> split(byte[] text) {
        List<byte[]> parts = new ArrayList<>();
        int begin = 0;
        for (int i = 0; i < text.length; i++) {
            if (text[i] == 0) {
                parts.add(Arrays.copyOfRange(text, begin, i));
                begin = i + 1;
            }
        }
        return parts;
    }
}
