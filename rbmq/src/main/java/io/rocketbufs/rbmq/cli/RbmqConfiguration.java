package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.ConfigOptions;

/** The keys that the configuration of rbmq's commands may contain. */
final class RbmqConfiguration {
    private RbmqConfiguration() {}

    /** Returns options that accept a default port for any transport, known or not. */
    static ConfigOptions options() {
        return new ConfigOptions("rbmq", "rbmq.default-ports");
    }
}
