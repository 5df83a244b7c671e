package io.rocketbufs.rbmq.broker;

import io.rocketbufs.ROut;
import io.rocketbufs.metrics.ConnectionState;
import io.rocketbufs.metrics.InputState;
import io.rocketbufs.metrics.SubscriptionState;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.broker.TopicState.GroupState;
import io.rocketbufs.rbmq.broker.TopicState.PublisherState;
import io.rocketbufs.rbmq.broker.TopicState.SubscriberState;
import io.rocketbufs.rbmq.protocol.InboxName;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A reader of the state of all topics.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class TopicStates {
    private final Topics topics;
    private final ROut out;
    private final Supplier<TopicRules> rules;

    TopicStates(Topics topics, ROut out, Supplier<TopicRules> rules) {
        this.topics = topics;
        this.out = out;
        this.rules = rules;
    }

    /** Returns the topics whose names satisfy the condition, sorted by name. */
    List<TopicState> read(Predicate<String> wanted) {
        Map<String, Map<Integer, List<SubscriptionState>>> byPeer = out.subscriptions().stream()
                .collect(Collectors.groupingBy(
                        SubscriptionState::peer, Collectors.groupingBy(SubscriptionState::bufferId)));
        Map<String, Map<Integer, Long>> held = out.rocketBufs().metrics().connections().stream()
                .collect(Collectors.toMap(ConnectionState::peer, TopicStates::delayMs, (first, second) -> first));
        return topics.read(topic -> wanted.test(topic.name()), topic -> state(topic, byPeer, held));
    }

    /** Returns how long the peer of a connection has waited, in milliseconds, by the peer's id for each buffer. */
    private static Map<Integer, Long> delayMs(ConnectionState connection) {
        return connection.inputs().stream().collect(Collectors.toMap(InputState::bufferId, InputState::delayMs));
    }

    private TopicState state(
            Topic topic,
            Map<String, Map<Integer, List<SubscriptionState>>> byPeer,
            Map<String, Map<Integer, Long>> held) {
        List<PublisherState> publishers = topic.buffers().stream()
                .map(buffer -> buffer.state(
                        held.getOrDefault(buffer.publisher().peer(), Map.of()).getOrDefault(buffer.publishersId(), 0L)))
                .sorted(Comparator.comparingInt(PublisherState::number))
                .toList();
        TopicRule rule = ruleOf(topic);
        // A subscriber receives each message once, even if several of its subscriptions match the topic.
        Map<Object, TopicReader> readers = new LinkedHashMap<>();
        topic.readers()
                .forEach(reader -> readers.putIfAbsent(reader.isMember() ? reader : reader.subscriber(), reader));
        List<SubscriberState> subscribers = readers.values().stream()
                .map(reader -> state(
                        reader,
                        rule,
                        bufferIds(topic, reader),
                        byPeer.getOrDefault(reader.subscriber().peer(), Map.of())))
                .toList();
        KeptMessage kept = topic.keptMessage();
        return new TopicState(
                topic.name(),
                topic.traffic().receivedLength(),
                kept == null ? 0 : kept.length(),
                rule.filter(),
                publishers,
                subscribers,
                groups(topic));
    }

    /** Returns the groups of the topic, sorted by name and filter. */
    private static List<GroupState> groups(Topic topic) {
        Map<GroupKey, Long> members = topic.readers().stream()
                .filter(TopicReader::isMember)
                .collect(Collectors.groupingBy(TopicReader::groupKey, Collectors.counting()));
        return members.entrySet().stream()
                .map(each -> new GroupState(
                        each.getKey().name(),
                        each.getKey().filter(),
                        each.getValue().intValue(),
                        waitingLength(topic, each.getKey())))
                .sorted(Comparator.comparing(GroupState::name).thenComparing(GroupState::filter))
                .toList();
    }

    private static long waitingLength(Topic topic, GroupKey key) {
        return topic.buffers().stream()
                .map(buffer -> buffer.group(key))
                .filter(Objects::nonNull)
                .mapToLong(GroupBuffer::unreadLength)
                .sum();
    }

    /** Returns the rule that applies to a topic. Called while the lock of {@link Topics} is held. */
    TopicRule ruleOf(Topic topic) {
        return topic.buffers().isEmpty()
                ? rules.get().of(topic.name(), InboxName.is(topic.name()))
                : topic.buffers().get(0).rule();
    }

    /** Returns the ids of the buffers to which a reader has subscribed. */
    private static List<Integer> bufferIds(Topic topic, TopicReader reader) {
        return topic.buffers().stream().map(reader::bufferId).toList();
    }

    private SubscriberState state(
            TopicReader reader,
            TopicRule rule,
            List<Integer> bufferIds,
            Map<Integer, List<SubscriptionState>> byBuffer) {
        long sent = 0;
        long transfers = 0;
        long starved = 0;
        long pending = 0;
        long lost = 0;
        long currentDelayMs = 0;
        long delayMs = 0;
        long worst = 0;
        for (Integer bufferId : bufferIds) {
            for (SubscriptionState info : byBuffer.getOrDefault(bufferId, List.of())) {
                sent += info.sentLength();
                transfers += info.transferCount();
                starved += info.starvedCount();
                pending += info.pendingLength();
                lost += info.lostLength();
                currentDelayMs = Math.max(currentDelayMs, info.currentDelayMs());
                delayMs += info.delayMs();
                worst = Math.max(worst, info.worstPendingLength());
            }
        }
        SlowPolicy policy = reader.policy() == null ? rule.slowPolicy() : reader.policy();
        return new SubscriberState(
                reader.subscriber().name(),
                reader.subscriber().peer(),
                policy.name().toLowerCase(Locale.ROOT),
                sent,
                transfers,
                starved,
                pending,
                lost,
                currentDelayMs,
                delayMs,
                worst,
                reader.isMember() ? reader.member().group() : null);
    }
}
