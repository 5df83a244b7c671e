package io.rocketbufs.benchmarks.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.benchmarks.Packages;
import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Load;
import io.rocketbufs.benchmarks.compare.Measurement;
import io.rocketbufs.benchmarks.compare.Span;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests with real brokers and clients, each in a separate process. */
@Tag("slow")
@Timeout(600)
final class LogContenderTest {
    private static final Span SHORT = new Span(200, 500);
    private static final WarmUp WARM_UP = new WarmUp(200, 1, 400, 600, 400);

    /** Length in bytes of the header of a batch of the logs in C. */
    private static final int BATCH_HEADER_LENGTH = 24;
    /** Length in bytes of a record's length and number. The following bytes are 0. */
    private static final int NUMBERED_LENGTH = 12;

    @TempDir
    private Path folder;

    private static void check(Measurement found, String name, boolean isTimed) {
        assertThat(found.perSecond()).describedAs(name).isPositive();
        assertThat(found.faults()).describedAs(name).isZero();
        if (isTimed) {
            assertThat(found.p50Us()).describedAs(name).isPositive();
        }
    }

    private static void changeByte(Path file, long position) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {1}), position);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RAW", "RAW_RDMA"})
    void shouldReportFaultsWhenAByteOfTheLogInCHasChanged(LogPeer peer) throws Exception {
        assumeTrue(Packages.missing(peer.packages()).isEmpty(), "missing packages");
        Path logs = Files.createDirectory(folder.resolve("logs"));
        Cell cell = LogExperiment.CONSUME_LATENCY.cell(64, 1);
        try (LogContender contender = new LogContender(peer.system(folder), logs, WARM_UP)) {
            Load load = contender.loads(cell).get(0);
            assertThat(contender.measure(cell, load, SHORT).faults()).isZero();
            try (Stream<Path> files = Files.walk(logs)) {
                Path segment = files.filter(each -> each.endsWith("consume-latency-64-0"))
                        .findAny()
                        .orElseThrow();
                changeByte(segment, BATCH_HEADER_LENGTH + NUMBERED_LENGTH);
            }
            assertThat(contender.measure(cell, load, SHORT).faults()).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource(LogPeer.class)
    void shouldLoseNothingInAnyExperiment(LogPeer peer) throws Exception {
        assumeTrue(Packages.missing(peer.packages()).isEmpty(), "missing packages");
        Path logs = Files.createDirectory(folder.resolve("logs"));
        try (LogContender contender = new LogContender(peer.system(folder), logs, WARM_UP)) {
            for (LogExperiment experiment : LogExperiment.values()) {
                Cell cell = experiment.cells().get(0);
                // The second measurement uses the same processes and topic.
                for (int i = 0; i < 2 && contender.takesPartIn(cell); i++) {
                    check(
                            contender.measure(cell, contender.loads(cell).get(0), SHORT),
                            experiment + ", " + cell,
                            experiment.measuresLatency());
                }
            }
            assertThat(contender.remarks()).startsWith("warm-up of 0.");
        }
        try (Stream<Path> rest = Files.list(logs)) {
            assertThat(rest).isEmpty();
        }
    }
}
