package io.rocketbufs.rbmq.broker;

import io.rocketbufs.ROut;
import io.rocketbufs.metrics.SubscriptionState;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.broker.TopicState.PublisherState;
import io.rocketbufs.rbmq.broker.TopicState.SubscriberState;
import io.rocketbufs.rbmq.protocol.InboxName;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A reader of the state of all topics.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class TopicStates {
    private final Topics topics;
    private final ROut out;
    private final TopicRules rules;

    TopicStates(Topics topics, ROut out, TopicRules rules) {
        this.topics = topics;
        this.out = out;
        this.rules = rules;
    }

    /** Returns all topics, sorted by name. */
    List<TopicState> read() {
        Map<String, Map<Integer, List<SubscriptionState>>> byPeer = out.subscriptions().stream()
                .collect(Collectors.groupingBy(
                        SubscriptionState::peer, Collectors.groupingBy(SubscriptionState::bufferId)));
        return topics.read(topic -> state(topic, byPeer));
    }

    private TopicState state(Topic topic, Map<String, Map<Integer, List<SubscriptionState>>> byPeer) {
        List<PublisherState> publishers = topic.buffers().stream()
                .map(TopicBuffer::state)
                .sorted(Comparator.comparingInt(PublisherState::number))
                .toList();
        TopicRule rule = ruleOf(topic);
        // A subscriber receives each message once, even if several of its subscriptions match the topic.
        Map<Object, TopicReader> readers = new LinkedHashMap<>();
        topic.readers()
                .forEach(reader -> readers.putIfAbsent(reader.member() == null ? reader.subscriber() : reader, reader));
        List<SubscriberState> subscribers = readers.values().stream()
                .map(reader -> state(
                        reader,
                        rule,
                        bufferIds(topic, reader),
                        byPeer.getOrDefault(reader.subscriber().peer(), Map.of())))
                .toList();
        return new TopicState(topic.name(), topic.receivedLength(), rule.filter(), publishers, subscribers);
    }

    private TopicRule ruleOf(Topic topic) {
        return topic.buffers().isEmpty()
                ? rules.of(topic.name(), InboxName.is(topic.name()))
                : topic.buffers().get(0).rule();
    }

    /** Returns the ids of the buffers that a reader has subscribed to. */
    private static List<Integer> bufferIds(Topic topic, TopicReader reader) {
        return topic.buffers().stream()
                .map(buffer -> reader.member() == null
                        ? buffer.bufferId()
                        : reader.member().bufferId(buffer))
                .toList();
    }

    private SubscriberState state(
            TopicReader reader,
            TopicRule rule,
            List<Integer> bufferIds,
            Map<Integer, List<SubscriptionState>> byBuffer) {
        long pending = 0;
        long lost = 0;
        for (Integer bufferId : bufferIds) {
            for (SubscriptionState info : byBuffer.getOrDefault(bufferId, List.of())) {
                pending += info.pendingLength();
                lost += info.lostLength();
            }
        }
        SlowPolicy policy = reader.policy() == null ? rule.slowPolicy() : reader.policy();
        return new SubscriberState(
                reader.subscriber().name(),
                reader.subscriber().peer(),
                policy.name().toLowerCase(Locale.ROOT),
                pending,
                lost,
                reader.member() == null ? null : reader.member().group());
    }
}
