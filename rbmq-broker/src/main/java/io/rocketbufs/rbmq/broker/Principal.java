package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.util.function.Supplier;

/**
 * The identity of one session: a user or the anonymous client. It is created when the client is accepted. The client's
 * own name is only informational and not part of the identity.
 *
 * <p>The identity never changes, but its rights follow the current configuration: they change as soon as a reload puts
 * another configuration into force.
 *
 * <pre>
 *   accepted ---reload: same user---&gt; accepted, with the user's new rights
 *      |
 *      +---reload: the token belongs to no user or another user---&gt; lost: has no rights and must be disconnected
 * </pre>
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class Principal {
    private final Presented presented;
    private final boolean isLocal;
    private final Grant admitted;
    private final Supplier<Users> users;
    private final RefusalCounts refusals;
    private volatile Known known;

    /** The grant of this identity according to one version of the settings. */
    private record Known(Users users, Grant grant) {}

    /**
     * Creates the identity of an accepted session.
     *
     * @param isLocal true if the client has connected to a loopback address
     * @param admitted the grant that the client received when it was accepted
     * @param users supplies the current users, which determine the rights
     */
    Principal(Presented presented, boolean isLocal, Grant admitted, Supplier<Users> users, RefusalCounts refusals) {
        this.presented = presented;
        this.isLocal = isLocal;
        this.admitted = admitted;
        this.users = users;
        this.refusals = refusals;
    }

    /** Returns the grant according to the current settings. */
    private Grant grant() {
        Users now = users.get();
        Known last = known;
        if (last == null || last.users != now) {
            last = new Known(now, now.grantOf(presented, isLocal));
            known = last;
        }
        return last.grant;
    }

    private Permissions permissions() {
        Grant grant = grant();
        return isSame(grant) ? grant.permissions() : Permissions.NONE;
    }

    private boolean isSame(Grant grant) {
        boolean isSameUser = admitted.user() == null
                ? grant.user() == null
                : grant.user() != null && admitted.user().isSame(grant.user());
        return grant.isAccepted() && isSameUser;
    }

    /** Returns why the broker no longer accepts this identity; null while the broker accepts it. */
    String loss() {
        Grant grant = grant();
        if (isSame(grant)) {
            return null;
        }
        if (admitted.user() == null) {
            return grant.isAccepted()
                    ? "the " + proof() + " of this client belongs to "
                            + grant.user().describe() + " now"
                    : "the broker no longer accepts clients without a valid token";
        }
        if (admitted.name() == null) {
            return "the token was removed from the broker's rbmq.credentials";
        }
        return users.get().hasName(admitted.name())
                ? "the " + proof() + " of " + admitted.user().describe() + " was replaced in the broker's rbmq.users"
                : admitted.user().describe() + " was removed from the broker's rbmq.users";
    }

    private String proof() {
        return presented.token() == null ? "certificate" : "token";
    }

    /** Returns true if the session may publish to a topic or reply to an inbox. */
    boolean mayPublish(String topic) {
        return permissions().mayPublish(topic);
    }

    /**
     * Checks that the session may publish to a topic or reply to an inbox. A refusal is counted.
     *
     * @throws IllegalArgumentException naming the user, its topics and the remedy
     */
    void checkPublish(String topic) {
        if (!mayPublish(topic)) {
            refusals.count(RefusalCounts.Reason.PUBLISH);
            throw new IllegalArgumentException(describeNoPublish(topic));
        }
    }

    /**
     * Returns a text that explains why the session may not publish to a topic, naming the user, its topics and the
     * remedy.
     */
    String describeNoPublish(String topic) {
        return InboxName.is(topic)
                ? subject() + " may not reply to requests, because it may not subscribe to any topic; " + remedy()
                        + "subscribe"
                : describe("publish", permissions().publish(), "topic \"" + topic + "\"");
    }

    /** Returns true if the session may subscribe to all topics that match a filter. */
    boolean maySubscribe(TopicFilter filter) {
        return permissions().maySubscribe(filter);
    }

    /**
     * Checks that the session may subscribe to all topics that match a filter. A refusal is counted.
     *
     * @throws IllegalArgumentException naming the user, its topics and the remedy
     */
    void checkSubscribe(TopicFilter filter) {
        if (!maySubscribe(filter)) {
            refusals.count(RefusalCounts.Reason.SUBSCRIBE);
            throw new IllegalArgumentException(describeNoSubscribe(filter));
        }
    }

    /**
     * Returns a text that explains why the session may not subscribe to a filter, naming the user, its topics and the
     * remedy.
     */
    String describeNoSubscribe(TopicFilter filter) {
        return describe(
                "subscribe",
                permissions().subscribe(),
                filter.isWildcard() ? "every topic that matches \"" + filter + "\"" : "topic \"" + filter + "\"");
    }

    /** Returns true if the session may receive the messages of a topic; false for an inbox. A refusal is counted. */
    boolean mayRead(String topic) {
        boolean mayRead = permissions().mayRead(topic);
        if (!mayRead) {
            refusals.count(RefusalCounts.Reason.SUBSCRIBE);
        }
        return mayRead;
    }

    private String describe(String right, TopicRights rights, String object) {
        String what =
                rights.isEmpty() ? " may not " + right : " may " + right + " to " + rights.describe() + ", but not";
        return subject() + what + " to " + object + "; " + remedy() + right;
    }

    private String subject() {
        return admitted.user() == null ? "an anonymous client" : admitted.user().describe();
    }

    private String remedy() {
        return admitted.user() == null
                ? "present a token, or change the broker's rbmq.anonymous."
                : "to allow it, change the broker's rbmq.users.";
    }

    /** Returns the user's name; null if there is no user or the user has no name. */
    String user() {
        return admitted.name();
    }

    /** Returns the text that follows a client's own name in log lines; empty if there is no user name. */
    @Override
    public String toString() {
        return admitted.toString();
    }
}
