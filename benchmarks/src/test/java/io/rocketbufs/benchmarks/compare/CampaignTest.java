package io.rocketbufs.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CampaignTest {
    private static final Load ONE = new Load(1, 16);
    private static final Load TWO = new Load(2, 16);
    private static final Span SPAN = new Span(1, 100);
    private static final Span TRIAL = new Span(1, 10);

    private final List<String> log = new ArrayList<>();
    private final Deque<Double> foreign = new ArrayDeque<>();
    private final ByteArrayOutputStream progress = new ByteArrayOutputStream();
    private boolean becomesQuiet = true;
    private final Contender single = new FixedContender("a", List.of(ONE), log, load -> 100);
    private final Contender choosy = new FixedContender("b", List.of(ONE, TWO), log, load -> load == TWO ? 70 : 50);

    private Campaign campaign(int repetitions) {
        ForeignLoad others = new ForeignLoad() {
            @Override
            void begin() {}

            @Override
            double cores() {
                return foreign.isEmpty() ? 0 : foreign.pop();
            }

            @Override
            boolean awaitQuiet(double limit) {
                return becomesQuiet;
            }
        };
        PrintStream screen = new PrintStream(progress, true, StandardCharsets.UTF_8);
        return new Campaign(List.of(single, choosy), SPAN, TRIAL, repetitions, others, screen);
    }

    @Test
    void shouldMeasureContendersInTurnAfterFindingTheBestLoad() throws Exception {
        Campaign campaign = campaign(2);
        campaign.run(List.of(Cell.throughput(64, 1)));
        assertThat(log)
                .containsExactly(
                        "b 64 1x16 10",
                        "b 64 2x16 10",
                        "a 64 1x16 100",
                        "b 64 2x16 100",
                        "a 64 1x16 100",
                        "b 64 2x16 100");
        assertThat(campaign.runs()).extracting(Run::repetition).containsExactly(0, 0, 1, 1);
        assertThat(campaign.runs())
                .extracting(run -> run.measurement().perSecond())
                .containsExactly(100.0, 70.0, 100.0, 70.0);
    }

    @Test
    void shouldPrintTheEstimatedTimeBeforeItBegins() throws Exception {
        Campaign campaign = campaign(3);
        List<Cell> cells = List.of(Cell.throughput(64, 1), Cell.throughput(512, 1));
        campaign.run(cells);
        // a: 3 x 101 ms; b: 2 x 11 ms + 3 x 101 ms, in each of the two cells
        assertThat(campaign.minutes(cells)).isEqualTo(2 * (303 + 22 + 303) / 60_000.0);
        assertThat(progress.toString(StandardCharsets.UTF_8))
                .startsWith("bench: 16 measurements, which take about 1 minutes");
    }

    @Test
    void shouldMeasureOnlyContendersThatTakePart() throws Exception {
        campaign(1).run(List.of(new Cell(BrokerExperiment.TOPICS, 64, 1, 1, 10, 0)));
        assertThat(log).allMatch(line -> line.startsWith("b ")).hasSize(3);
        assertThat(progress.toString(StandardCharsets.UTF_8))
                .contains("[3 of 3")
                .contains("topics, 64 B");
    }

    @Test
    void shouldDiscardAndRepeatDisturbedMeasurements() throws Exception {
        foreign.addAll(List.of(0.0, 0.0, 0.5, 0.05));
        Campaign campaign = campaign(1);
        campaign.run(List.of(Cell.throughput(64, 1)));
        assertThat(campaign.runs()).extracting(Run::foreignCores).containsExactly(0.05, 0.0);
        assertThat(campaign.discarded()).isEqualTo(1);
        assertThat(progress.toString(StandardCharsets.UTF_8))
                .containsOnlyOnce("discarded: other processes used 0.50 processors");
    }

    @Test
    void shouldKeepTheResultsOfCellsBeforeAFailure() {
        foreign.addAll(List.of(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0));
        becomesQuiet = false;
        Campaign campaign = campaign(1);
        assertThatThrownBy(() -> campaign.run(List.of(Cell.throughput(64, 1), Cell.throughput(512, 1))))
                .hasMessageContaining("to measure b in the cell 512 B");
        assertThat(campaign.runs())
                .extracting(run -> run.cell().size() + " " + run.contender())
                .containsExactly("64 a", "64 b");
    }

    @Test
    void shouldGiveUpWhenTheMachineIsNeverIdle() {
        foreign.addAll(List.of(0.0, 0.0, 1.0));
        becomesQuiet = false;
        assertThatThrownBy(() -> campaign(1).run(List.of(Cell.throughput(64, 1))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(
                        "they used 1.00 processors in the last of 1 attempts to measure a in the cell 64 B");
    }
}
