package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.rbmq.protocol.TopicName;
import java.time.Duration;

/** A check of the arguments of commands that send a request to one topic and wait for a reply. */
final class RequestArguments {
    private RequestArguments() {}

    /** Throws a usage failure if the topic name or the timeout is invalid. */
    static void check(String topic, Duration timeout) {
        try {
            TopicName.encode(topic);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(e.getMessage());
        }
        if (timeout.isZero() || timeout.isNegative()) {
            throw CommandFailure.usage("--timeout " + timeout.toMillis() + "ms: must be positive");
        }
    }
}
