package io.rocketbufs.rbmq.broker;

/** Identities for tests that do not test rights. */
final class Principals {
    /** A client that may do everything. */
    static final Principal ALL = Principal.anonymous(Permissions.ALL, new RefusalCounts());

    private Principals() {}
}
