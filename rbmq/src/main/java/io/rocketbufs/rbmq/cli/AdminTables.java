package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.TerminalText;
import java.util.List;

/** The tables of topics and clients that commands print. */
final class AdminTables {
    /** Number of columns in a line of a topic table that follow the name. */
    private static final int TOPIC_NUMBERS = 48;
    /** Number of columns in a line of a client table without the name. */
    private static final int CLIENT_NUMBERS = 63;

    private static final int NARROWEST_CLIENT_NAME = 20;
    private static final int WIDEST_CLIENT_NAME = 48;

    private AdminTables() {}

    /** Returns the heading of a table of topics whose names occupy the given number of columns. */
    static String topicHeading(int nameWidth) {
        return TerminalText.pad("TOPIC", nameWidth)
                + String.format(" %5s %5s %8s %8s %8s %8s", "PUBS", "SUBS", "IN/s", "OUT/s", "LAG", "LOST");
    }

    /** Returns the line of a topic. A name that is too long moves the other columns to the right. */
    static String topic(AdminRow topic, int nameWidth) {
        return TerminalText.pad(topic.text("name"), nameWidth) + numbers(topic);
    }

    /** Returns the line of a topic, with the name truncated to its columns. */
    static String cutTopic(AdminRow topic, int nameWidth) {
        return TerminalText.pad(TerminalText.cut(topic.text("name"), nameWidth), nameWidth) + numbers(topic);
    }

    private static String numbers(AdminRow topic) {
        return String.format(
                " %5d %5d %8s %8s %8s %8s",
                topic.number("publishers"),
                topic.number("subscribers"),
                topic.rate("inBytesPerSecond"),
                topic.rate("outBytesPerSecond"),
                topic.bytes("lagBytes"),
                topic.bytes("lostBytes"));
    }

    /** Returns the number of columns for topic names in lines of the given width. */
    static int topicNameWidth(int lineWidth) {
        return Math.max(1, lineWidth - TOPIC_NUMBERS);
    }

    /** Returns the number of columns for client names in lines of the given width. */
    static int clientNameWidth(int lineWidth) {
        return Math.max(1, lineWidth - CLIENT_NUMBERS);
    }

    /** Returns the number of columns for the names of clients in lines of any width. */
    static int clientNameWidth(List<AdminRow> clients) {
        return clients.stream()
                .mapToInt(client -> TerminalText.width(client.text("name")))
                .map(width -> Math.min(width, WIDEST_CLIENT_NAME))
                .reduce(NARROWEST_CLIENT_NAME, Math::max);
    }

    /** Returns the heading of a table of clients whose names occupy the given number of columns. */
    static String clientHeading(int nameWidth) {
        return TerminalText.pad("CLIENT", nameWidth)
                + String.format(" %-21s %-3s %6s %8s %8s %11s", "ADDRESS", "", "TOPICS", "RATE/s", "LAG", "DELAY");
    }

    /** Returns the line of a client, with the name truncated to its columns. */
    static String client(AdminRow client, int nameWidth) {
        boolean publishes = client.text("role").equals("publisher");
        return TerminalText.pad(TerminalText.cut(client.text("name"), nameWidth), nameWidth)
                + String.format(
                        " %-21s %-3s %6d %8s %8s %11s",
                        client.text("address"),
                        publishes ? "pub" : "sub",
                        client.number("topics"),
                        client.rate(publishes ? "inBytesPerSecond" : "outBytesPerSecond"),
                        publishes ? "-" : client.bytes("lagBytes"),
                        Amounts.duration(client.number(publishes ? "waitedMs" : "delayMs")));
    }

    /** Returns the objects of a list in a response; empty if the response omits the list. */
    static List<AdminRow> rows(Config answer, String name) {
        return answer.hasPath(name)
                ? answer.getConfigList(name).stream().map(AdminRow::new).toList()
                : List.of();
    }
}
