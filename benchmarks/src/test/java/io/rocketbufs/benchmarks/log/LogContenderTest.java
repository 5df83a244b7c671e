package io.rocketbufs.benchmarks.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.benchmarks.Packages;
import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Measurement;
import io.rocketbufs.benchmarks.compare.Span;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests with real brokers and clients, each in a process of its own. */
@Tag("slow")
@Timeout(300)
final class LogContenderTest {
    private static final Span SHORT = new Span(200, 500);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource(LogPeer.class)
    void shouldLoseNothingInAnyExperiment(LogPeer peer) throws Exception {
        assumeTrue(Packages.missing(peer.packages()).isEmpty(), "missing packages");
        Path logs = Files.createDirectory(folder.resolve("logs"));
        try (LogContender contender = new LogContender(peer.system(folder), logs)) {
            for (LogExperiment experiment : LogExperiment.values()) {
                if (!contender.takesPartIn(experiment)) {
                    continue;
                }
                Cell cell = experiment.cells().get(0);
                Measurement found =
                        contender.measure(cell, contender.loads(cell).get(0), SHORT);
                assertThat(found.perSecond()).describedAs(cell + "").isPositive();
                assertThat(found.faults()).describedAs(cell + "").isZero();
                if (experiment.measuresLatency()) {
                    assertThat(found.p50Us()).describedAs(cell + "").isPositive();
                }
            }
        }
        try (Stream<Path> rest = Files.list(logs)) {
            assertThat(rest).isEmpty();
        }
    }
}
