package io.rocketbufs.rocketlog.cli;

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

/** Tests that the command-line reference page has the output of {@code --help} for the program and each command. */
final class RocketlogReferenceTest {
    @Test
    void shouldShowTheHelpOfEveryCommand() throws IOException {
        ReferencePage.read("command-line.md")
                .check("rocketlog", CommandHelp.of("rocketlog", RocketlogReferenceTest::output));
    }

    private static String output(String commandLine) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8);
        String[] arguments = commandLine.replaceFirst("rocketlog ", "").split(" ");
        int code = Main.run(arguments, new Streams("rocketlog", InputStream.nullInputStream(), print, print));
        assertThat(code).as(commandLine).isZero();
        return out.toString(StandardCharsets.UTF_8);
    }
}
