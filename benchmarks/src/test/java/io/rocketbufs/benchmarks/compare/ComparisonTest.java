package io.rocketbufs.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ComparisonTest {
    private static final Plan PLAN =
            new Plan(List.of(Cell.throughput(64, 1), Cell.throughput(512, 1)), new Span(1, 100), new Span(1, 10), 1);

    @TempDir
    private Path folder;

    private final Deque<Double> foreign = new ArrayDeque<>();
    private final ByteArrayOutputStream results = new ByteArrayOutputStream();
    private final List<Path> programs = new ArrayList<>();

    private Comparison comparison() {
        ForeignLoad others = new ForeignLoad() {
            @Override
            double cores() {
                return foreign.isEmpty() ? 0 : foreign.pop();
            }

            @Override
            boolean awaitQuiet(double limit) {
                return false;
            }
        };
        PrintStream printed = new PrintStream(results, true, StandardCharsets.UTF_8);
        PrintStream nowhere = new PrintStream(PrintStream.nullOutputStream(), true, StandardCharsets.UTF_8);
        return new Comparison(new TableOnly(), "a", new Comparison.Output(folder, true, printed, nowhere), others)
                .withFact("skipped", "nothing");
    }

    private List<Contender> contenders(Path programFolder) {
        programs.add(programFolder);
        return List.of(
                new FixedContender("a", List.of(new Load(1, 1)), new ArrayList<>(), load -> 300),
                new FixedContender("b", List.of(new Load(1, 1)), new ArrayList<>(), load -> 100));
    }

    /** Returns the object in the last line of the output. */
    private Config json() {
        String[] lines = results.toString(StandardCharsets.UTF_8).split("\n");
        return ConfigFactory.parseString(lines[lines.length - 1]);
    }

    @Test
    void shouldReportFactsAndRatiosAndDeleteTheProgramsFiles() throws Exception {
        comparison().run(this::contenders, PLAN);
        assertThat(Files.readString(folder.resolve("report.md")))
                .contains("- skipped: nothing", "- b: b 1.0; none", "| 64 B, 1 subscriber | 300 | 100 (3.00; ");
        assertThat(json().getConfigList("cells")).hasSize(2);
        assertThat(programs).hasSize(1).allSatisfy(each -> assertThat(each).doesNotExist());
    }

    @Test
    void shouldReportTheCellsBeforeAFailure() throws Exception {
        foreign.addAll(List.of(0.0, 0.0, 0.0, 1.0));
        assertThatThrownBy(() -> comparison().run(this::contenders, PLAN))
                .hasMessageContaining("keep the machine busy");
        assertThat(json().getString("ended early")).contains("to measure b in the cell 512 B");
        assertThat(json().getConfigList("cells")).hasSize(1);
        assertThat(programs).allSatisfy(each -> assertThat(each).doesNotExist());
    }

    /** Findings that consist of one table of all cells. */
    private static final class TableOnly implements Findings {
        @Override
        public void write(Results found, String subject, StringBuilder text) {
            Tables tables = new Tables(found, subject, text);
            tables.table("Rates", found, Cell::toString, tables.compared(Measurement::perSecond, Tables::rate));
        }

        @Override
        public List<Target> targets(Results found, String subject) {
            return List.of();
        }

        @Override
        public List<String> plots(Results found, Path target) {
            return List.of();
        }
    }
}
