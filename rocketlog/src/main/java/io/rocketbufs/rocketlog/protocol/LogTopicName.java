package io.rocketbufs.rocketlog.protocol;

import io.rocketbufs.text.PlainText;
import java.util.regex.Pattern;

/**
 * The rules for topic names, which become part of folder and file names.
 *
 * <p><i>Thread-safety:</i> stateless.
 */
public final class LogTopicName {
    /** Maximum length of a name. A partition's folder name adds a number, and file names have at most 255 bytes. */
    public static final int LONGEST = 240;

    private static final Pattern VALID = Pattern.compile("[a-zA-Z0-9_][a-zA-Z0-9._-]*");

    private LogTopicName() {}

    /** Returns why the text is not a valid topic name, or null if it is valid. */
    public static String problem(String name) {
        if (name.length() > LONGEST) {
            return "the topic's name has " + name.length() + " characters; the maximum is " + LONGEST;
        }
        return VALID.matcher(name).matches()
                ? null
                : "\"" + PlainText.of(name) + "\" is not a valid topic name: use letters, digits, '_', '-' and '.',"
                        + " and begin with a letter, a digit or '_'";
    }

    /** Returns the name of a partition, such as {@code orders-0}. */
    public static String partition(String topic, int number) {
        return topic + "-" + number;
    }
}
