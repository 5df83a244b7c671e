package io.rocketbufs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(600)
final class DocumentedProgramsTest {
    /** The documents with a table of programs, in the order in which the launcher lists their programs. */
    private static final List<String> DOCUMENTS = List.of("building-your-own.md", "client-guide.md");

    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([A-Z][A-Za-z]+[^`]*)` \\|");

    @Test
    void shouldListThePrograms() throws Exception {
        List<String> documented = new ArrayList<>();
        for (String document : DOCUMENTS) {
            Matcher rows = ROW.matcher(section(document));
            while (rows.find()) {
                documented.add("  " + rows.group(1));
            }
        }
        try (RunningExample program = RunningExample.start()) {
            program.await("usage: bin/example ");
            for (String line : documented) {
                assertThat(program.next()).isEqualTo(line);
            }
            assertThat(program.awaitEnd()).isEqualTo(2);
        }
        assertThat(documented).isNotEmpty();
    }

    private static String section(String document) throws IOException {
        return Files.readString(Path.of("../docs", document))
                .split("\n## Programs to start from\n")[1]
                .split("\n## ")[0];
    }

    @Test
    void shouldRejectArgumentsOfAProgramThatTakesNone() throws Exception {
        try (RunningExample program = RunningExample.start("HelloPublisher", "127.0.0.1:7610")) {
            program.await("HelloPublisher: takes no arguments");
            assertThat(program.awaitEnd()).isEqualTo(2);
        }
    }

    @Test
    void shouldNameTheInvalidArgument() throws Exception {
        try (RunningExample program = RunningExample.start("ListingThreePublisher", "lines", "nowhere")) {
            program.await("ListingThreePublisher: argument 2 \"nowhere\" is not HOST:PORT");
            program.await("usage: bin/example ListingThreePublisher [TOPIC [HOST:PORT]]");
            assertThat(program.awaitEnd()).isEqualTo(2);
        }
    }

    @Test
    void shouldReportInOneLineWhyItCannotConnect() throws Exception {
        try (RunningExample program = RunningExample.start("ListingThreeSubscriber", "lines", "127.0.0.1:1")) {
            assertThat(program.next()).startsWith("ListingThreeSubscriber: ").contains("127.0.0.1:1", "refused");
            assertThat(program.awaitEnd()).isEqualTo(1);
        }
    }
}
