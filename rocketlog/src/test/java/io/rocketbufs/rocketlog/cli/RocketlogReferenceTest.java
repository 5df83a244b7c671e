package io.rocketbufs.rocketlog.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.reference.CommandHelp;
import io.rocketbufs.reference.ReferencePage;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Tests that the command-line reference page contains the {@code --help} output of the program and of each command. */
final class RocketlogReferenceTest {
    @Test
    void shouldShowTheHelpOfEveryCommand() throws IOException {
        ReferencePage.read("command-line.md")
                .check("rocketlog", CommandHelp.of("rocketlog", RocketlogReferenceTest::output));
    }

    private static String output(String commandLine) {
        RecordedStreams recorded = new RecordedStreams("rocketlog");
        String[] arguments = commandLine.replaceFirst("rocketlog ", "").split(" ");
        assertThat(Main.run(arguments, recorded.withoutInput())).as(commandLine).isZero();
        assertThat(recorded.err()).as(commandLine).isEmpty();
        return recorded.out();
    }
}
