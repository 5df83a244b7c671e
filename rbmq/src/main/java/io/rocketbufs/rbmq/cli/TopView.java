package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.TerminalText;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The view of {@code rbmq top} and its state, which keys change. A key is either a command or part of a filter that is
 * being entered:
 *
 * <pre>
 *            /                       any character, backspace
 *   VIEWING -------&gt; ENTERING ------------------------------------&gt; ENTERING
 *      ^                  |
 *      +---- enter, esc --+
 * </pre>
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class TopView {
    private static final List<String> SORTS = List.of("rate", "in", "out", "lag", "lost", "delay", "name");
    private static final int MAX_SLOW = 3;
    private static final int MAX_FILTER = 255;
    private static final int ESCAPE = 27;
    private static final int DELETE = 127;
    private static final int BACKSPACE = 8;

    private final String address;
    private int sort;
    private TopicFilter filter;
    /** The bytes of the filter that is being entered; null if no filter is being entered. */
    private ByteBuffer entered;
    /** The reason why the last request failed; empty if it succeeded. */
    private String failure = "";
    /** The reason why the last filter is invalid; empty if it is valid. */
    private String invalid = "";

    /** The action that a key requests. */
    enum Wish {
        QUIT,
        /** Query the broker again. */
        REFRESH,
        /** Redraw the last responses. */
        REDRAW,
        NOTHING
    }

    /** Creates a view of the broker at the given address. */
    TopView(String address) {
        this.address = TerminalText.escape(address);
    }

    /** Returns the sort keys of topics and clients. */
    String sort() {
        return SORTS.get(sort);
    }

    /** Returns the filter that selects topics; null for all topics. */
    String filter() {
        return filter == null ? null : filter.toString();
    }

    /** Shows why the broker does not respond, until {@link #succeed} is called. */
    void fail(String reason) {
        failure = TerminalText.escape(reason);
    }

    /** Called when the broker has responded. */
    void succeed() {
        failure = "";
    }

    /** Handles a byte from the keyboard. */
    Wish press(int key) {
        invalid = "";
        if (entered != null) {
            return enter(key);
        }
        switch (key) {
            case 'q' -> {
                return Wish.QUIT;
            }
            case 's' -> {
                sort = (sort + 1) % SORTS.size();
                return Wish.REFRESH;
            }
            case '/' -> {
                entered = ByteBuffer.allocate(MAX_FILTER);
                return Wish.REDRAW;
            }
            default -> {
                return Wish.NOTHING;
            }
        }
    }

    private Wish enter(int key) {
        if (key == ESCAPE) {
            entered = null;
        } else if (key == '\n' || key == '\r') {
            apply(enteredText());
            entered = null;
        } else if (key == DELETE || key == BACKSPACE) {
            String text = enteredText();
            entered.clear();
            entered.put(text.substring(0, text.isEmpty() ? 0 : text.offsetByCodePoints(text.length(), -1))
                    .getBytes(StandardCharsets.UTF_8));
        } else if (entered.hasRemaining()) {
            entered.put((byte) key);
        }
        return entered == null ? Wish.REFRESH : Wish.REDRAW;
    }

    private String enteredText() {
        return new String(entered.array(), 0, entered.position(), StandardCharsets.UTF_8);
    }

    private void apply(String text) {
        try {
            filter = text.isEmpty() ? null : TopicFilter.of(text);
        } catch (IllegalArgumentException e) {
            invalid = TerminalText.escape(e.getMessage());
        }
    }

    /**
     * Returns the lines to show.
     *
     * @param lineCount maximum number of lines; {@link Integer#MAX_VALUE} for no limit
     */
    List<String> lines(Config status, Config topics, Config clients, int lineCount, int width) {
        List<String> lines = new ArrayList<>(summary(status));
        lines.add("");
        List<String> clientLines = clients(clients, width);
        // Reserves the blank line between the tables and the last line of the screen.
        int free = Math.max(0, lineCount - lines.size() - 2);
        int forClients = Math.min(clientLines.size(), Math.max(free / 3, free - topics.getInt("shown") - 1));
        List<String> topicLines = topics(topics, width);
        lines.addAll(topicLines.subList(0, Math.min(topicLines.size(), free - forClients)));
        lines.add("");
        lines.addAll(clientLines.subList(0, forClients));
        List<String> cut = new ArrayList<>();
        lines.stream()
                .limit(lineCount == Integer.MAX_VALUE ? lineCount : Math.max(0, lineCount - 1))
                .map(line -> TerminalText.cut(line, width))
                .forEach(cut::add);
        return cut;
    }

    /** Returns the last line of the screen: the available keys, the filter that is being entered, or an error. */
    String lastLine(Config topics, int width) {
        String line;
        if (entered != null) {
            line = "filter (empty: all topics): " + TerminalText.escape(enteredText()) + "_";
        } else if (!failure.isEmpty() || !invalid.isEmpty()) {
            line = failure.isEmpty() ? invalid : failure;
        } else {
            line = String.format(
                    Locale.ROOT,
                    "q quit  s sort: %s  / filter: %s  %,d of %,d topics",
                    sort(),
                    filter == null ? "all" : TerminalText.escape(filter.toString()),
                    topics.getLong("matching"),
                    topics.getLong("total"));
        }
        return TerminalText.cut(line, width);
    }

    private List<String> summary(Config answer) {
        AdminRow status = new AdminRow(answer);
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "RBMQ %s  up %s  publishers %,d  subscribers %,d",
                address,
                Amounts.duration(status.number("uptimeMs")),
                status.number("publishers"),
                status.number("subscribers")));
        AdminRow lost = new AdminRow(answer.getConfig("lostBytes"));
        lines.add(String.format(
                "in %s/s  out %s/s  lag %s  lost %s  slow subscribers %d",
                status.rate("inBytesPerSecond"),
                status.rate("outBytesPerSecond"),
                status.bytes("lagBytes"),
                Amounts.bytes(lost.number("skipped") + lost.number("disconnected")),
                status.number("slowSubscribers")));
        AdminTables.rows(answer, "slow").stream().limit(MAX_SLOW).forEach(slow -> lines.add(describe(slow)));
        return lines;
    }

    private static String describe(AdminRow slow) {
        String topic = slow.text("topic");
        return "! \"" + TerminalText.cut(slow.text("name"), 16) + "\" at " + slow.text("address") + " delays "
                + (topic.isEmpty() ? "replies" : TerminalText.cut(topic, 20)) + ": "
                + Amounts.duration(slow.number("slowForMs")) + " (" + Amounts.duration(slow.number("delayMs"))
                + " in total), lag " + slow.bytes("lagBytes") + ", worst " + slow.bytes("worstLagBytes");
    }

    private static List<String> topics(Config answer, int width) {
        int nameWidth = AdminTables.topicNameWidth(width);
        List<String> lines = new ArrayList<>(List.of(AdminTables.topicHeading(nameWidth)));
        AdminTables.rows(answer, "topics").forEach(topic -> lines.add(AdminTables.cutTopic(topic, nameWidth)));
        return lines;
    }

    private static List<String> clients(Config answer, int width) {
        int nameWidth = AdminTables.clientNameWidth(width);
        List<String> lines = new ArrayList<>(List.of(AdminTables.clientHeading(nameWidth)));
        AdminTables.rows(answer, "clients").forEach(client -> lines.add(AdminTables.client(client, nameWidth)));
        return lines;
    }
}
