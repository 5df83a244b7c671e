package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The command {@code rocketlog topics delete}, which deletes a topic. */
@Command(
        name = "delete",
        description = "Deletes a topic and all its records, which cannot be restored. Its producers and consumers fail."
                + " The broker must permit this in rocketlog.deletable-topics.",
        footer = {"", "Example:", "  rocketlog topics delete orders"})
final class TopicDeleteCommand implements Callable<Integer> {
    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    LogClientOptions client = new LogClientOptions();

    @Parameters(paramLabel = "TOPIC", description = "Topic to delete.")
    String topic;

    @Override
    public Integer call() {
        client.withTopic(topic, topics -> topics.delete(topic));
        return ExitCode.DONE;
    }
}
