package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.rocketlog.broker.LogBroker;
import io.rocketbufs.rocketlog.log.LogException;
import io.rocketbufs.rocketlog.log.LogInspection;
import io.rocketbufs.rocketlog.log.LogInspection.BatchVisitor;
import io.rocketbufs.rocketlog.log.LogInspection.Finding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The options and the exit code that the inspecting commands share. */
class InspectCommand {
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
     * @param reports whether to print the defects on standard error
     */
    final LogInspection inspect(BatchVisitor visitor, boolean reports) throws IOException {
        refuseMemory();
        LogInspection inspection = new LogInspection(visitor);
        try {
            inspection.inspect(path);
        } catch (LogException e) {
            throw CommandFailure.failed(e.getMessage());
        }
        if (reports) {
            for (Finding finding : inspection.findings()) {
                streams.say(finding.file() + ": position " + finding.position() + ": " + finding.problem());
            }
        }
        return inspection;
    }

    /** Names the reason why a topic in memory has no folder. */
    private void refuseMemory() {
        String topic = Files.exists(path) ? null : LogBroker.topicInMemory(path);
        if (topic != null) {
            throw CommandFailure.failed(path + " does not exist: the records of topic " + topic
                    + " are only in the broker's memory; read them with: rocketlog consume " + topic);
        }
    }

    static int exitCode(LogInspection inspection) {
        return inspection.findings().isEmpty() ? ExitCode.DONE : ExitCode.FAILED;
    }
}
