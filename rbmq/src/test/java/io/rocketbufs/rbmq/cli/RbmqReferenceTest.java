package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.reference.CommandHelp;
import io.rocketbufs.reference.ReferencePage;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/**
 * A test that the command-line reference page contains the output of {@code --help} for the program and each command.
 */
final class RbmqReferenceTest {
    @Test
    void shouldShowTheHelpOfEveryCommand() throws IOException {
        ReferencePage.read("command-line.md").check("rbmq", CommandHelp.of("rbmq", RbmqReferenceTest::output));
    }

    private static String output(String commandLine) {
        RecordedStreams recorded = new RecordedStreams("rbmq");
        String[] arguments = commandLine.replaceFirst("rbmq ", "").split(" ");
        assertThat(Main.run(arguments, recorded.withoutInput())).as(commandLine).isZero();
        assertThat(recorded.err()).as(commandLine).isEmpty();
        return recorded.out();
    }
}
