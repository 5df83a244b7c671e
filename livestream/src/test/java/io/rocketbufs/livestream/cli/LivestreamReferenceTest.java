package io.rocketbufs.livestream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.reference.CommandHelp;
import io.rocketbufs.reference.ReferencePage;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** A test that the reference page contains the {@code --help} output of the program and of each command. */
final class LivestreamReferenceTest {
    @Test
    void shouldShowTheHelpOfEveryCommand() throws IOException {
        ReferencePage.read("command-line.md")
                .check("livestream", CommandHelp.of("livestream", LivestreamReferenceTest::output));
    }

    private static String output(String commandLine) {
        RecordedStreams recorded = new RecordedStreams("livestream");
        String[] arguments = commandLine.replaceFirst("livestream ", "").split(" ");
        assertThat(LivestreamMain.run(arguments, recorded.withoutInput()))
                .as(commandLine)
                .isZero();
        assertThat(recorded.err()).as(commandLine).isEmpty();
        return recorded.out();
    }
}
