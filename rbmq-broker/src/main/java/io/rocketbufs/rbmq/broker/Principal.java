package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.TopicFilter;

/**
 * The identity of one session: a user or the anonymous client. Created when the client is accepted. The client's own
 * name, which is only informational, is not part of it.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class Principal {
    private final String subject;
    private final String name;
    private final Permissions permissions;
    private final String remedy;
    private final RefusalCounts refusals;

    private Principal(String subject, String name, Permissions permissions, String remedy, RefusalCounts refusals) {
        this.subject = subject;
        this.name = name;
        this.permissions = permissions;
        this.remedy = remedy;
        this.refusals = refusals;
    }

    /** Returns the identity of a user's session. */
    static Principal of(UserSettings user, RefusalCounts refusals) {
        return new Principal(
                user.describe(),
                user.name(),
                user.permissions(),
                "to allow it, change the broker's rbmq.users.",
                refusals);
    }

    /** Returns the identity of a session without a user. */
    static Principal anonymous(Permissions permissions, RefusalCounts refusals) {
        return new Principal(
                "an anonymous client",
                null,
                permissions,
                "present a token, or change the broker's rbmq.anonymous.",
                refusals);
    }

    /**
     * Checks that the session may publish to a topic, or reply into an inbox.
     *
     * @throws IllegalArgumentException naming the user, its topics and the remedy; also counts the refusal
     */
    void checkPublish(String topic) {
        if (!permissions.mayPublish(topic)) {
            refusals.count(RefusalCounts.Reason.PUBLISH);
            if (InboxName.is(topic)) {
                throw new IllegalArgumentException(subject
                        + " may not reply to requests, because it may not subscribe to any topic; " + remedy
                        + "subscribe");
            }
            throw refusal("publish", permissions.publish(), "topic \"" + topic + "\"");
        }
    }

    /**
     * Checks that the session may subscribe to all topics that match a filter.
     *
     * @throws IllegalArgumentException naming the user, its topics and the remedy; also counts the refusal
     */
    void checkSubscribe(TopicFilter filter) {
        if (!permissions.maySubscribe(filter)) {
            refusals.count(RefusalCounts.Reason.SUBSCRIBE);
            throw refusal(
                    "subscribe",
                    permissions.subscribe(),
                    filter.isWildcard() ? "every topic that matches \"" + filter + "\"" : "topic \"" + filter + "\"");
        }
    }

    /** Returns true when the session may receive the messages of a topic; false for an inbox. Counts a refusal. */
    boolean mayRead(String topic) {
        boolean mayRead = permissions.mayRead(topic);
        if (!mayRead) {
            refusals.count(RefusalCounts.Reason.SUBSCRIBE);
        }
        return mayRead;
    }

    private IllegalArgumentException refusal(String right, TopicRights rights, String object) {
        String what =
                rights.isEmpty() ? " may not " + right : " may " + right + " to " + rights.describe() + ", but not";
        return new IllegalArgumentException(subject + what + " to " + object + "; " + remedy + right);
    }

    /** Returns the user's name; null for a client whose user has none. */
    String user() {
        return name;
    }

    /** Returns a text that follows a client's own name in log lines; empty for a client whose user has no name. */
    @Override
    public String toString() {
        return name == null ? "" : " of user \"" + name + "\"";
    }
}
