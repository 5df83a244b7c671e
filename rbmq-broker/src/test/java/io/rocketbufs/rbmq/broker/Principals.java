package io.rocketbufs.rbmq.broker;

import com.typesafe.config.ConfigFactory;

/** Identities for tests that are not about rights. */
final class Principals {
    private static final Presented NOTHING = new Presented(null, null);
    private static final Users EVERYBODY = new Users(
            AccessSettings.from(ConfigFactory.parseResources("reference.conf").resolve()), new RefusalCounts());
    /** A client that has all rights. */
    static final Principal ALL =
            new Principal(NOTHING, true, EVERYBODY.grantOf(NOTHING, true), () -> EVERYBODY, new RefusalCounts());

    private Principals() {}
}
