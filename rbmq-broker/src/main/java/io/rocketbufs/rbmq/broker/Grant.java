package io.rocketbufs.rbmq.broker;

/**
 * The permissions that the broker's configuration grants to a client, based on the credentials it presents.
 *
 * <p><b>Thread-safety:</b> immutable.
 *
 * @param user the user; null for a client that belongs to no user
 * @param permissions the topics that the client may use; no topics if the client is not accepted
 * @param refusal why the client is not accepted; null if it is accepted
 */
record Grant(UserSettings user, Permissions permissions, RefusalCounts.Reason refusal) {
    /** Returns the grant of a user. */
    static Grant of(UserSettings user) {
        return new Grant(user, user.permissions(), null);
    }

    /** Returns the grant of clients that belong to no user. */
    static Grant anonymous(Permissions permissions) {
        return new Grant(null, permissions, null);
    }

    /** Returns the grant of a client that is not accepted. */
    static Grant refused(RefusalCounts.Reason refusal) {
        return new Grant(null, Permissions.NONE, refusal);
    }

    boolean isAccepted() {
        return refusal == null;
    }

    /** Returns the user's name; null if there is no user or the user has no name. */
    String name() {
        return user == null ? null : user.name();
    }

    /** Returns the text that follows a client's own name in log lines; empty if there is no user name. */
    @Override
    public String toString() {
        return name() == null ? "" : " of user \"" + name() + "\"";
    }
}
