package io.rocketbufs.rbmq.broker;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** States as JSON; the names are those of the records. */
final class StateJson {
    private StateJson() {}

    static String of(BrokerState state) {
        return "{\"uptimeMs\":" + state.uptimeMs()
                + ",\"listeners\":" + list(state.listeners(), StateJson::text)
                + ",\"publisherCount\":" + state.publisherCount()
                + ",\"subscriberCount\":" + state.subscriberCount()
                + ",\"topicCount\":" + state.topicCount()
                + ",\"receivedLength\":" + state.receivedLength()
                + ",\"transferCount\":" + state.transferCount()
                + ",\"refusedCount\":" + state.refusedCount()
                + ",\"malformedCount\":" + state.malformedCount() + "}";
    }

    static String ofTopics(List<TopicState> topics) {
        return list(topics, StateJson::of);
    }

    private static String of(TopicState topic) {
        return "{\"name\":" + text(topic.name())
                + ",\"receivedLength\":" + topic.receivedLength()
                + ",\"publishers\":" + list(topic.publishers(), StateJson::of)
                + ",\"subscribers\":" + list(topic.subscribers(), StateJson::of) + "}";
    }

    private static String of(TopicState.PublisherState publisher) {
        return "{\"number\":" + publisher.number()
                + ",\"name\":" + text(publisher.name())
                + ",\"peer\":" + text(publisher.peer())
                + ",\"bufferId\":" + publisher.bufferId()
                + ",\"capacity\":" + publisher.capacity()
                + ",\"receivedLength\":" + publisher.receivedLength()
                + ",\"transferCount\":" + publisher.transferCount() + "}";
    }

    private static String of(TopicState.SubscriberState subscriber) {
        return "{\"name\":" + text(subscriber.name())
                + ",\"peer\":" + text(subscriber.peer())
                + ",\"policy\":" + text(subscriber.policy())
                + ",\"pendingLength\":" + subscriber.pendingLength()
                + ",\"lostLength\":" + subscriber.lostLength() + "}";
    }

    private static <T> String list(List<T> all, Function<T, String> json) {
        return all.stream().map(json).collect(Collectors.joining(",", "[", "]"));
    }

    /** Names hold no control characters, so only what JSON itself gives a meaning needs care. */
    private static String text(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
