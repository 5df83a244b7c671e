package io.rocketbufs.livestream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.Streams;
import io.rocketbufs.reference.CommandHelp;
import io.rocketbufs.reference.ReferencePage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Checks that the reference page contains the {@code --help} output of the program and of each command. */
final class LivestreamReferenceTest {
    @Test
    void shouldShowTheHelpOfEveryCommand() throws IOException {
        ReferencePage.read("command-line.md")
                .check("livestream", CommandHelp.of("livestream", LivestreamReferenceTest::output));
    }

    private static String output(String commandLine) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8);
        String[] arguments = commandLine.replaceFirst("livestream ", "").split(" ");
        int code =
                LivestreamMain.run(arguments, new Streams("livestream", InputStream.nullInputStream(), print, print));
        assertThat(code).as(commandLine).isZero();
        return out.toString(StandardCharsets.UTF_8);
    }
}
