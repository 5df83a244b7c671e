package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.stream.IntStream;

/** The texts of numbered messages, each four characters long. */
final class NumberedTexts {
    private NumberedTexts() {}

    /** Returns the text of the message with the given number. */
    static String number(int i) {
        return String.format("%04d", i);
    }

    /** Returns the text of the message with the given number in UTF-8. */
    static byte[] text(int i) {
        return number(i).getBytes(UTF_8);
    }

    /** Returns the texts of the messages from {@code from} (inclusive) to {@code to} (exclusive). */
    static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(NumberedTexts::number).toList();
    }
}
