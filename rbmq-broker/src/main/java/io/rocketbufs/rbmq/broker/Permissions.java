package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.TopicFilter;

/**
 * The topics to which a user may publish, and those to which a user may subscribe.
 *
 * <p>A user who may publish to a topic may also send requests to it, because every client may subscribe to its own
 * inbox. The session checks that a client subscribes to no other inbox. A user who may subscribe to any topic may reply
 * to the requests that arrive there. The name of an inbox is secret and is known only to the recipients of a request.
 *
 * @param publish topics to which the user may publish
 * @param subscribe topics to which the user may subscribe
 */
public record Permissions(TopicRights publish, TopicRights subscribe) {
    /** Permissions that include no topics. */
    static final Permissions NONE = new Permissions(TopicRights.NONE, TopicRights.NONE);
    /** Permissions that include all topics. */
    static final Permissions ALL = new Permissions(TopicRights.ALL, TopicRights.ALL);

    /** Returns true if the user may publish or subscribe to at least one topic. */
    boolean grantAnything() {
        return !publish.isEmpty() || !subscribe.isEmpty();
    }

    /** Returns true if the user may publish and subscribe to every topic. */
    boolean grantEverything() {
        TopicFilter all = TopicFilter.of(TopicFilter.REST);
        return publish.covers(all) && subscribe.covers(all);
    }

    /** Returns true if the user may publish to a topic or reply to an inbox. */
    boolean mayPublish(String topic) {
        return InboxName.is(topic) ? !subscribe.isEmpty() : publish.allows(topic);
    }

    /**
     * Returns true if the user may subscribe to all topics that match a filter, including topics that appear later.
     * Topics that later join the subscription therefore need no further check.
     */
    boolean maySubscribe(TopicFilter filter) {
        return subscribe.covers(filter);
    }

    /** Returns true if the user may receive the messages of a topic; false for an inbox. */
    boolean mayRead(String topic) {
        return subscribe.allows(topic);
    }
}
