package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.TopicFilter;

/**
 * The topics to which a user may publish, and those to which a user may subscribe.
 *
 * <p>A user who may publish to a topic may also send requests to it: every client may subscribe to its own inbox, which
 * the session checks, and to no other. A user who may subscribe to any topic may reply to the requests that arrive
 * there. The name of an inbox is secret, and reaches only those that receive a request.
 *
 * @param publish topics to publish to
 * @param subscribe topics to subscribe to
 */
public record Permissions(TopicRights publish, TopicRights subscribe) {
    /** No topics. */
    static final Permissions NONE = new Permissions(TopicRights.NONE, TopicRights.NONE);
    /** All topics. */
    static final Permissions ALL = new Permissions(TopicRights.ALL, TopicRights.ALL);

    /** Returns true when there is at least one topic to publish or to subscribe to. */
    boolean grantAnything() {
        return !publish.isEmpty() || !subscribe.isEmpty();
    }

    /** Returns true when there is no topic to which the user may not publish, or may not subscribe. */
    boolean grantEverything() {
        TopicFilter all = TopicFilter.of(TopicFilter.REST);
        return publish.covers(all) && subscribe.covers(all);
    }

    /** Returns true when the user may publish to a topic, or reply into an inbox. */
    boolean mayPublish(String topic) {
        return InboxName.is(topic) ? !subscribe.isEmpty() : publish.allows(topic);
    }

    /**
     * Returns true when the user may subscribe to all topics that match a filter, even those that appear later. Topics
     * that join a subscription therefore need no further check.
     */
    boolean maySubscribe(TopicFilter filter) {
        return subscribe.covers(filter);
    }

    /** Returns true when the user may receive the messages of a topic; false for an inbox. */
    boolean mayRead(String topic) {
        return subscribe.allows(topic);
    }
}
