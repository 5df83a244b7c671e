package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The readers whose filters contain wildcards, as a tree of filter levels. A lookup of the readers of a topic visits
 * only filters that match the topic's first levels:
 *
 * <pre>
 *   root --- "room" --- +  --- "door"    readers of room/+/door
 *     |          |
 *     |          +----- #                readers of room/#
 *     +----- + -------- "state"          readers of +/state
 * </pre>
 *
 * <p><b>Thread-safety:</b> must be called while holding the lock of {@link Topics}.
 */
final class Filters {
    private final Node root = new Node();

    /** A level shared by one or more filters. */
    private static final class Node {
        /** The next levels by their text, including {@code +} but not {@code #}. */
        private final Map<String, Node> next = new HashMap<>(2);
        /** The readers whose filters end at this level. */
        private final List<TopicReader> here = new ArrayList<>(1);
        /** The readers whose filters end with {@code #} directly below this level. */
        private final List<TopicReader> rest = new ArrayList<>(1);

        private boolean isEmpty() {
            return next.isEmpty() && here.isEmpty() && rest.isEmpty();
        }
    }

    /** Adds a reader whose filter contains wildcards. */
    void add(TopicReader reader) {
        List<String> levels = TopicFilter.levels(reader.filter().toString());
        Node node = root;
        for (String level : named(levels)) {
            node = node.next.computeIfAbsent(level, any -> new Node());
        }
        readers(node, levels).add(reader);
    }

    /** Removes a reader. */
    void remove(TopicReader reader) {
        remove(root, TopicFilter.levels(reader.filter().toString()), 0, reader);
    }

    private void remove(Node node, List<String> levels, int depth, TopicReader reader) {
        if (depth == named(levels).size()) {
            readers(node, levels).remove(reader);
            return;
        }
        Node child = node.next.get(levels.get(depth));
        if (child != null) {
            remove(child, levels, depth + 1, reader);
            if (child.isEmpty()) {
                node.next.remove(levels.get(depth));
            }
        }
    }

    /** Returns the levels that have a node, which are all except {@code #}. */
    private static List<String> named(List<String> levels) {
        int last = levels.size() - 1;
        return levels.get(last).equals(TopicFilter.REST) ? levels.subList(0, last) : levels;
    }

    private static List<TopicReader> readers(Node node, List<String> levels) {
        return levels.get(levels.size() - 1).equals(TopicFilter.REST) ? node.rest : node.here;
    }

    /** Returns the readers whose filters match the topic with the given name. */
    List<TopicReader> matching(String topic) {
        List<TopicReader> found = new ArrayList<>();
        List<String> levels = TopicFilter.levels(topic);
        if (TopicFilter.isHiddenFromWildcards(topic)) {
            Node first = root.next.get(levels.get(0));
            if (first != null) {
                collect(first, levels, 1, found);
            }
        } else {
            collect(root, levels, 0, found);
        }
        return found;
    }

    private static void collect(Node node, List<String> levels, int depth, List<TopicReader> found) {
        found.addAll(node.rest);
        if (depth == levels.size()) {
            found.addAll(node.here);
            return;
        }
        Node named = node.next.get(levels.get(depth));
        if (named != null) {
            collect(named, levels, depth + 1, found);
        }
        Node any = node.next.get(TopicFilter.ONE_LEVEL);
        if (any != null) {
            collect(any, levels, depth + 1, found);
        }
    }
}
