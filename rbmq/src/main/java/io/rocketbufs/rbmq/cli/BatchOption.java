package io.rocketbufs.rbmq.cli;

import picocli.CommandLine.Option;

/** The option for the number of messages that a benchmark's publisher publishes with one call. */
final class BatchOption {
    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of messages that a publisher publishes to a topic with one call; 1 by default. With"
                    + " --rate, a call publishes only messages that are due.")
    int count;
}
