package io.rocketbufs.rbmq.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A filter that selects topics by name. A filter without wildcards is the name of one topic.
 *
 * <p>Slashes divide names and filters into levels; a level may be empty. In a filter, a level can be a wildcard:
 *
 * <table>
 * <caption>Wildcards</caption>
 * <tr><th>level</th><th>matches</th><th>example</th><th>matches</th><th>does not match</th></tr>
 * <tr><td>{@code +}</td><td>exactly one level</td><td>{@code room/+/door}</td><td>{@code room/7/door}</td>
 * <td>{@code room/door}, {@code room/7/8/door}</td></tr>
 * <tr><td>{@code #}, only as the last level</td><td>any number of levels, including none</td><td>{@code room/#}</td>
 * <td>{@code room}, {@code room/7}, {@code room/7/door}</td><td>{@code rooms}</td></tr>
 * </table>
 *
 * A wildcard in the first level does not match a name that begins with {@code $}. Otherwise, a filter follows the rules
 * of {@link TopicName}.
 *
 * <p><b>Thread-safety:</b> immutable. <b>Source:</b> MQTT 5.0, section 4.7.
 */
public final class TopicFilter {
    /** The wildcard that matches exactly one level of a name. */
    public static final String ONE_LEVEL = "+";
    /** The wildcard that, as the last level, matches any number of levels of a name, including none. */
    public static final String REST = "#";

    private static final char SEPARATOR = '/';

    private final String text;
    /** The levels; null if the filter has no wildcards. */
    private final List<String> levels;

    private final boolean isInbox;

    private TopicFilter(String text, List<String> levels, boolean isInbox) {
        this.text = text;
        this.levels = levels;
        this.isInbox = isInbox;
    }

    /**
     * Parses a filter.
     *
     * @throws IllegalArgumentException when the filter is invalid; the message states the rule that it breaks
     */
    public static TopicFilter of(String text) {
        if (!hasWildcards(text)) {
            TopicName.encode(text);
            return new TopicFilter(text, null, false);
        }
        TopicName.checkText("filter", text, TopicName.utf8("filter", text).length);
        List<String> levels = levels(text);
        for (int i = 0; i < levels.size(); i++) {
            checkLevel(text, levels.get(i), i == levels.size() - 1);
        }
        return new TopicFilter(text, levels, false);
    }

    /**
     * Parses a filter, or the name of an inbox.
     *
     * @throws IllegalArgumentException when the filter is invalid; the message states the rule that it breaks
     */
    public static TopicFilter ofOrInbox(String text) {
        return InboxName.is(text) ? new TopicFilter(text, null, true) : of(text);
    }

    /** Returns true if this is the name of an inbox, which only {@link #ofOrInbox} accepts. */
    public boolean isInbox() {
        return isInbox;
    }

    private static boolean hasWildcards(String text) {
        return text.contains(ONE_LEVEL) || text.contains(REST);
    }

    private static void checkLevel(String text, String level, boolean isLast) {
        if (hasWildcards(level) && level.length() > 1) {
            throw new IllegalArgumentException("filter=\"" + text + "\" has the level \"" + level
                    + "\"; a wildcard must be a level of its own, as in \"a/+/b\" and \"a/#\"");
        }
        if (level.equals(REST) && !isLast) {
            throw new IllegalArgumentException(
                    "filter=\"" + text + "\" contains # before the last level; # must be the last level");
        }
    }

    /**
     * Decodes the remaining bytes of a buffer, which may be the name of an inbox.
     *
     * @throws IllegalArgumentException when the bytes are not a valid filter
     */
    static TopicFilter decode(ByteBuffer bytes) {
        return ofOrInbox(TopicName.text(bytes));
    }

    byte[] encode() {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the levels of a filter or of a topic's name. */
    public static List<String> levels(String name) {
        List<String> levels = new ArrayList<>();
        int start = 0;
        for (int end = name.indexOf(SEPARATOR); end >= 0; end = name.indexOf(SEPARATOR, start)) {
            levels.add(name.substring(start, end));
            start = end + 1;
        }
        levels.add(name.substring(start));
        return levels;
    }

    /** Returns true if a wildcard in the first level of a filter does not match a topic's name. */
    public static boolean isHiddenFromWildcards(String topic) {
        return topic.startsWith("$");
    }

    /** Returns true if this filter has wildcards; otherwise, it is the name of one topic. */
    public boolean isWildcard() {
        return levels != null;
    }

    /** Returns true if this filter matches the topic with the given name. */
    public boolean matches(String topic) {
        if (levels == null) {
            return text.equals(topic);
        }
        if (isHiddenFromWildcards(topic) && hasWildcards(levels.get(0))) {
            return false;
        }
        int start = 0;
        for (String level : levels) {
            if (level.equals(REST)) {
                return true;
            }
            if (start > topic.length()) {
                return false; // all levels of the name have been matched
            }
            int separator = topic.indexOf(SEPARATOR, start);
            int end = separator < 0 ? topic.length() : separator;
            boolean isSame = level.length() == end - start && topic.startsWith(level, start);
            if (!isSame && !level.equals(ONE_LEVEL)) {
                return false;
            }
            start = end + 1;
        }
        return start > topic.length();
    }

    /** Returns true if some topic name matches both this filter and another one. */
    public boolean overlaps(TopicFilter other) {
        if (levels == null) {
            return other.matches(text);
        }
        if (other.levels == null) {
            return matches(other.text);
        }
        int common = Math.min(levels.size(), other.levels.size());
        for (int i = 0; i < common; i++) {
            String mine = levels.get(i);
            String its = other.levels.get(i);
            if (mine.equals(REST) || its.equals(REST)) {
                return true;
            }
            if (!mine.equals(its) && !mine.equals(ONE_LEVEL) && !its.equals(ONE_LEVEL)) {
                return false;
            }
        }
        return isEndOrRest(levels, common) && isEndOrRest(other.levels, common);
    }

    private static boolean isEndOrRest(List<String> levels, int from) {
        return levels.size() == from || levels.get(from).equals(REST);
    }

    /** Returns the text of the filter. */
    @Override
    public String toString() {
        return text;
    }
}
