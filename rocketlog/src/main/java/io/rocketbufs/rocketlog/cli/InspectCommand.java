package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.rocketlog.broker.LogBroker;
import io.rocketbufs.rocketlog.log.LogException;
import io.rocketbufs.rocketlog.log.LogInspection;
import io.rocketbufs.rocketlog.log.LogInspection.Finding;
import io.rocketbufs.rocketlog.log.LogInspection.Visitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The options and exit codes shared by the commands that inspect log files. */
class InspectCommand {
    private static final String DELETED = " was deleted, so its files are not inspected; the broker removes any"
            + " remaining files no later than its next start";

    final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Parameters(paramLabel = "PATH", description = "Log directory, folder of a partition, or .log file of a segment.")
    Path path;

    InspectCommand(Streams streams) {
        this.streams = streams;
    }

    /**
     * Inspects the path.
     *
     * @param reports true to print the defects to standard error
     */
    final LogInspection inspect(Visitor visitor, boolean reports) throws IOException {
        refuseMemory();
        refuseDeleted();
        LogInspection inspection = new LogInspection(visitor, LogBroker::deletedTopic);
        try {
            inspection.inspect(path);
            LogBroker.inspectTopics(path, inspection);
        } catch (LogException e) {
            throw CommandFailure.failed(e.getMessage());
        }
        if (reports) {
            for (Finding finding : inspection.findings()) {
                streams.say(finding.file() + ": position " + finding.position() + ": " + finding.problem());
            }
            for (String topic : inspection.deletedTopics()) {
                streams.say(path + ": topic " + topic + DELETED);
            }
        }
        return inspection;
    }

    /** Fails with an explanation if the path does not exist because the topic is in memory. */
    private void refuseMemory() {
        String topic = Files.exists(path) ? null : LogBroker.topicInMemory(path);
        if (topic != null) {
            throw CommandFailure.failed(path + " does not exist: the records of topic " + topic
                    + " are only in the broker's memory; read them with: rocketlog consume " + topic);
        }
    }

    private void refuseDeleted() {
        String topic = LogBroker.deletedTopic(path);
        if (topic != null) {
            throw CommandFailure.failed(path + ": topic " + topic + DELETED);
        }
    }

    static int exitCode(LogInspection inspection) {
        return inspection.findings().isEmpty() ? ExitCode.DONE : ExitCode.FAILED;
    }
}
