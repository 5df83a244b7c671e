package io.rocketbufs.rbmq.broker;

/**
 * The permissions that the broker's configuration grants to a client with a certain token, or without one.
 *
 * <p><b>Thread-safety:</b> immutable.
 *
 * @param user the user; null for a client without one
 * @param permissions the client's topics; none if it is not accepted
 * @param refusal why the client is not accepted; null if it is
 */
record Grant(UserSettings user, Permissions permissions, RefusalCounts.Reason refusal) {
    /** Returns the grant of a user. */
    static Grant of(UserSettings user) {
        return new Grant(user, user.permissions(), null);
    }

    /** Returns the grant of clients without a user. */
    static Grant anonymous(Permissions permissions) {
        return new Grant(null, permissions, null);
    }

    /** Returns that a client is not accepted. */
    static Grant refused(RefusalCounts.Reason refusal) {
        return new Grant(null, Permissions.NONE, refusal);
    }

    boolean isAccepted() {
        return refusal == null;
    }

    /** Returns the user's name; null without a user, or if it has no name. */
    String name() {
        return user == null ? null : user.name();
    }

    /** Returns the text that follows a client's own name in log lines; empty for a client whose user has no name. */
    @Override
    public String toString() {
        return name() == null ? "" : " of user \"" + name() + "\"";
    }
}
