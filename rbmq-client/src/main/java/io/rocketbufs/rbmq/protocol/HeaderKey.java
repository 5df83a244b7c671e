package io.rocketbufs.rbmq.protocol;

import io.rocketbufs.text.PlainText;

/**
 * The keys of headers: 1 to 127 bytes of UTF-8 without control characters. Keys are case-sensitive.
 *
 * <p>The well-known keys, which this class defines, are encoded in one byte instead of their text. For users, they do
 * not differ from other keys. A reader also recognizes the text of a well-known key, because an earlier version may
 * have written it before the key was well-known.
 */
public final class HeaderKey {
    /** The topic to which replies are sent, as text. */
    public static final String REPLY_TO = "reply-to";
    /** An identifier by which a requester recognizes the reply; any bytes. */
    public static final String CORRELATION = "correlation";
    /** The media type of the payload, as text: {@code application/json}. */
    public static final String CONTENT_TYPE = "content-type";
    /** The time after which the message is no longer useful, in milliseconds since 1970-01-01 UTC, as decimal text. */
    public static final String EXPIRES = "expires";
    /** The time at which the message was created, in milliseconds since 1970-01-01 UTC, as decimal text. */
    public static final String TIME = "time";
    /** Present, with an empty value, if another subscriber may have received the message. Added by the broker. */
    public static final String REDELIVERED = "redelivered";
    /**
     * The position of the message in a distributed trace, in the format of the W3C Trace Context field of this name.
     */
    public static final String TRACEPARENT = "traceparent";
    /** Present, with an empty value, if the message removes the value that a topic keeps. */
    public static final String CLEAR = "clear";

    /**
     * The description of a failure, as text; present in the reply to a request that failed. Not a well-known key with a
     * code, because failures are rare.
     */
    public static final String ERROR = "error";

    /** Maximum length of a key, in bytes of UTF-8. */
    public static final int MAX_LENGTH = 127;

    /** Initial state of a check, and state after the last byte of each character. */
    public static final int CHARACTER = 0;
    /** State of a check after an invalid byte. */
    public static final int MALFORMED = -1;

    private static final int ONE_LEFT = 1;
    private static final int TWO_LEFT = 2;
    private static final int THREE_LEFT = 3;
    private static final int AFTER_C2 = 4;
    private static final int AFTER_E0 = 5;
    private static final int AFTER_ED = 6;
    private static final int AFTER_F0 = 7;
    private static final int AFTER_F4 = 8;

    /** The well-known keys, by code. */
    private static final String[] NAMES = {
        REPLY_TO, CORRELATION, CONTENT_TYPE, EXPIRES, TIME, REDELIVERED, TRACEPARENT, CLEAR
    };

    private HeaderKey() {}

    /** Returns the code of a well-known key; -1 for other keys. */
    public static int code(String key) {
        return switch (key) {
            case REPLY_TO -> 0;
            case CORRELATION -> 1;
            case CONTENT_TYPE -> 2;
            case EXPIRES -> 3;
            case TIME -> 4;
            case REDELIVERED -> 5;
            case TRACEPARENT -> 6;
            case CLEAR -> 7;
            default -> -1;
        };
    }

    /**
     * Returns the well-known key with the given code, or text such as "0x9c" if this version does not recognize the
     * code.
     */
    public static String name(int code) {
        return code < NAMES.length ? NAMES[code] : "0x" + Integer.toHexString(0x80 | code);
    }

    /**
     * Checks a key.
     *
     * @throws IllegalArgumentException when the key is empty or too long, contains a control character, or is not
     *     well-formed Unicode
     */
    public static void check(String key) {
        int length = Utf8.length(key);
        if (length < 1 || length > MAX_LENGTH) {
            throw new IllegalArgumentException("key.length=" + length + " is not in the range 1 to " + MAX_LENGTH);
        }
        for (int i = 0; i < key.length(); i++) {
            if (Character.isISOControl(key.charAt(i))) {
                throw new IllegalArgumentException("key=\"" + PlainText.of(key) + "\" contains a control character");
            }
        }
    }

    /**
     * Returns the next state of a check of received bytes, given the current state and the next byte. A key is valid if
     * the state after its last byte is {@link #CHARACTER}. Does not allocate; the bytes may be in two pieces.
     *
     * <pre>
     *              80..bf              80..bf             80..bf
     *  THREE_LEFT --------> TWO_LEFT --------> ONE_LEFT --------> CHARACTER --+ 20..7e
     *      ^                   ^                  ^                  |   ^----+
     *  after F1..F3        after E1..EC, EE, EF   after C3..DF       |
     *                                                                v
     *  after C2: a0..bf -> CHARACTER, because U+0080 to U+009F are control characters
     *  after E0: a0..bf -> ONE_LEFT      after ED: 80..9f -> ONE_LEFT   (no overlong forms, no surrogates)
     *  after F0: 90..bf -> TWO_LEFT      after F4: 80..8f -> TWO_LEFT   (no overlong forms, at most U+10FFFF)
     * </pre>
     */
    public static int next(int state, byte next) {
        int b = next & 0xff;
        return switch (state) {
            case CHARACTER -> first(b);
            case ONE_LEFT -> within(b, 0x80, 0xbf, CHARACTER);
            case TWO_LEFT -> within(b, 0x80, 0xbf, ONE_LEFT);
            case THREE_LEFT -> within(b, 0x80, 0xbf, TWO_LEFT);
            case AFTER_C2 -> within(b, 0xa0, 0xbf, CHARACTER);
            case AFTER_E0 -> within(b, 0xa0, 0xbf, ONE_LEFT);
            case AFTER_ED -> within(b, 0x80, 0x9f, ONE_LEFT);
            case AFTER_F0 -> within(b, 0x90, 0xbf, TWO_LEFT);
            case AFTER_F4 -> within(b, 0x80, 0x8f, TWO_LEFT);
            default -> MALFORMED;
        };
    }

    private static int within(int b, int lowest, int highest, int next) {
        return b >= lowest && b <= highest ? next : MALFORMED;
    }

    private static int first(int b) {
        if (b >= 0x20 && b < 0x7f) {
            return CHARACTER;
        }
        return switch (b) {
            case 0xc2 -> AFTER_C2;
            case 0xe0 -> AFTER_E0;
            case 0xed -> AFTER_ED;
            case 0xf0 -> AFTER_F0;
            case 0xf4 -> AFTER_F4;
            default -> b > 0xc2 && b < 0xe0 ? ONE_LEFT : b > 0xe0 && b < 0xf0 ? TWO_LEFT : firstOfFour(b);
        };
    }

    private static int firstOfFour(int b) {
        return b > 0xf0 && b < 0xf4 ? THREE_LEFT : MALFORMED;
    }
}
