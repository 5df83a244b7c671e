package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.stream.IntStream;

/** The texts of messages that are numbered, each four characters long. */
final class NumberedTexts {
    private NumberedTexts() {}

    /** Returns the text of the message with the given number. */
    static String number(int i) {
        return String.format("%04d", i);
    }

    /** Returns the same text in UTF-8. */
    static byte[] text(int i) {
        return number(i).getBytes(UTF_8);
    }

    /** Returns the texts of the messages from a number up to another one, which is excluded. */
    static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(NumberedTexts::number).toList();
    }
}
