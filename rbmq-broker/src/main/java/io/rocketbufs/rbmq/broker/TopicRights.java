package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A set of topics, defined by a list of filters: the topics to which a user may publish, or the topics that a user may
 * read.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
public final class TopicRights {
    /** The empty set. */
    static final TopicRights NONE = new TopicRights(List.of());
    /** The set of all topics. */
    static final TopicRights ALL = new TopicRights(List.of(TopicFilter.of(TopicFilter.REST)));

    private static final String SEPARATOR = "/";
    /** A level that no filter contains, because it is a control character. */
    private static final String UNKNOWN_LEVEL = "\u0001";

    private static final int SHOWN_COUNT = 3;
    /** Number of bytes after which no further filter is shown, so that a complete refusal fits into a notice. */
    private static final int SHOWN_LENGTH = 300;

    private final List<TopicFilter> filters;
    /** The highest number of levels of any filter. */
    private final int longest;

    /** Creates the set of all topics that match at least one of the filters. */
    TopicRights(List<TopicFilter> filters) {
        this.filters = List.copyOf(filters);
        this.longest = filters.stream()
                .mapToInt(filter -> TopicFilter.levels(filter.toString()).size())
                .max()
                .orElse(0);
    }

    /** Returns true if the set contains no topics. */
    boolean isEmpty() {
        return filters.isEmpty();
    }

    /** Returns true if both sets have the same filters in the same order. */
    boolean hasFiltersOf(TopicRights other) {
        return texts().equals(other.texts());
    }

    private List<String> texts() {
        return filters.stream().map(TopicFilter::toString).toList();
    }

    /** Returns true if the topic is in the set. */
    boolean allows(String topic) {
        for (TopicFilter filter : filters) {
            if (filter.matches(topic)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns true if all topics that match a filter are in the set, including topics that do not exist yet.
     *
     * <p>One topic represents all matching topics with the same number of levels: the topic in which an unknown level
     * replaces each wildcard. Only a wildcard matches an unknown level, and a wildcard also matches every other level.
     * A filter with {@code #} has one such topic for each number of levels. All numbers of levels beyond those of this
     * set's filters are equivalent.
     */
    boolean covers(TopicFilter filter) {
        if (!filter.isWildcard()) {
            return allows(filter.toString());
        }
        List<String> levels = TopicFilter.levels(filter.toString());
        int last = levels.size() - 1;
        boolean hasRest = levels.get(last).equals(TopicFilter.REST);
        List<String> named = hasRest ? levels.subList(0, last) : levels;
        String topic = named.stream()
                .map(level -> level.equals(TopicFilter.ONE_LEVEL) ? UNKNOWN_LEVEL : level)
                .collect(Collectors.joining(SEPARATOR));
        boolean isCovered = topic.isEmpty() || allows(topic); // no topic has an empty name
        int most = hasRest ? Math.max(longest, named.size()) + 1 : named.size();
        for (int count = named.size() + 1; isCovered && count <= most; count++) {
            topic = count == 1 ? UNKNOWN_LEVEL : topic + SEPARATOR + UNKNOWN_LEVEL;
            isCovered = allows(topic);
        }
        return isCovered;
    }

    /** Returns the first few filters, for error messages. */
    String describe() {
        List<String> shown = new ArrayList<>();
        int length = 0;
        for (int i = 0; i < filters.size() && i < SHOWN_COUNT && length < SHOWN_LENGTH; i++) {
            shown.add(filters.get(i).toString());
            length += shown.get(i).getBytes(StandardCharsets.UTF_8).length;
        }
        int others = filters.size() - shown.size();
        return String.join(", ", shown) + (others > 0 ? " and " + others + " more" : "");
    }

    /** Returns all filters. */
    @Override
    public String toString() {
        return filters.toString();
    }
}
