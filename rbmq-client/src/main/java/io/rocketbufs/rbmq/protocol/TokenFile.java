package io.rocketbufs.rbmq.protocol;

import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;

/**
 * A file that contains the token of a client, so that the token appears neither on a command line nor in a
 * configuration. Clients and brokers read it in the same way.
 */
public final class TokenFile {
    /**
     * Maximum length of a file in bytes, enough for the longest token and any reasonable amount of space after it. It
     * also bounds the reading of an endless file.
     */
    private static final int MAX_LENGTH = 1024;

    /** Some editors write this character at the beginning of a file in UTF-8. */
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private TokenFile() {}

    /** Returns true if all users of this machine can read a file; false if its file system has no permissions. */
    public static boolean isExposed(Path file) {
        try {
            return Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ);
        } catch (IOException | UnsupportedOperationException e) {
            return false; // the file may have been removed since it was read
        }
    }

    /** Returns the warning about a file that {@linkplain #isExposed is exposed}. */
    public static String exposure(String file) {
        return "All users of this machine can read " + file + ", which contains a token; run chmod o-r";
    }

    /**
     * Reads the token, ignoring trailing spaces and line breaks and a leading byte order mark.
     *
     * @throws IllegalArgumentException when the file cannot be read or contains no valid token; the message is intended
     *     for the user and does not contain the token
     */
    public static String read(Path file) {
        String text = text(file);
        String token = (text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text).stripTrailing();
        if (token.isEmpty()) {
            throw new IllegalArgumentException("the token file " + file + " is empty");
        }
        if (!GreetingLayout.isToken(token)) {
            throw invalid(file);
        }
        return token;
    }

    private static IllegalArgumentException invalid(Path file) {
        return new IllegalArgumentException("the token file " + file + " must contain one line of at most "
                + GreetingLayout.MAX_TEXT_LENGTH + " bytes, without control characters");
    }

    private static String text(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MAX_LENGTH + 1);
            if (bytes.length > MAX_LENGTH) { // and may end within a character
                throw invalid(file);
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("the token file " + file + " is not UTF-8", e);
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot read the token file " + file + ": " + Reason.of(e), e);
        }
    }
}
