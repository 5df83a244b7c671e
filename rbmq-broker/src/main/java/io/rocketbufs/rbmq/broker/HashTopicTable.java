package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The hash table described in the paper, local to this process. */
final class HashTopicTable implements TopicTable {
    private final Map<String, Topic> topics = new HashMap<>();

    @Override
    public Topic getOrCreate(String name) {
        return topics.computeIfAbsent(name, Topic::new);
    }

    @Override
    public Topic get(String name) {
        return topics.get(name);
    }

    @Override
    public void remove(Topic topic) {
        topics.remove(topic.name(), topic);
    }

    @Override
    public Collection<Topic> all() {
        return topics.values().stream()
                .sorted(Comparator.comparing(Topic::name))
                .toList();
    }

    @Override
    public void forEach(Consumer<Topic> action) {
        topics.values().forEach(action);
    }

    @Override
    public List<Topic> notEmpty(TopicFilter filter) {
        return topics.values().stream()
                .filter(topic -> !topic.isEmpty() && filter.matches(topic.name()))
                .toList();
    }

    @Override
    public int count() {
        return topics.size();
    }
}
