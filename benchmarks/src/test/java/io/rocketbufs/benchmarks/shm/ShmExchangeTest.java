package io.rocketbufs.benchmarks.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.benchmarks.Packages;
import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Contender;
import io.rocketbufs.benchmarks.compare.Measurement;
import io.rocketbufs.benchmarks.compare.Span;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests with real but brief measurements. */
@Tag("once")
@Timeout(600)
final class ShmExchangeTest {
    @TempDir
    private Path folder;

    private Measurement measure(ShmPeer peer, Cell cell) throws Exception {
        Measurement found = null;
        for (long ms = 100; found == null; ms *= 4) {
            found = measure(peer, cell, new Span(ms, 2 * ms));
        }
        assertThat(found.faults()).isZero();
        assertThat(found.perSecond()).isPositive();
        return found;
    }

    /** Returns the measurement, or null if a busy machine left the processes too little time for a message. */
    private Measurement measure(ShmPeer peer, Cell cell, Span span) throws Exception {
        try (Contender contender = peer.contender(folder, folder, Path.of("."))) {
            assertThat(contender.takesPartIn(cell)).isTrue();
            Measurement found = contender.measure(cell, contender.loads(cell).get(0), span);
            return found.perSecond() == 0 ? null : found;
        } catch (IOException e) {
            if (!e.getMessage().contains("no message has arrived")) {
                throw e;
            }
            return null;
        }
    }

    @Test
    void shouldStreamThroughRocketBufs() throws Exception {
        measure(ShmPeer.SHM, ShmExperiment.STREAM.cell(1024));
    }

    @Test
    void shouldStreamThroughAeron() throws Exception {
        measure(ShmPeer.AERON, ShmExperiment.STREAM.cell(1024));
    }

    @Test
    void shouldMeasureRoundTripsThroughRocketBufs() throws Exception {
        assertThat(measure(ShmPeer.SHM_SPIN, ShmExperiment.ROUND_TRIP.cell(64)).p50Us())
                .isPositive();
    }

    @Test
    void shouldMeasureRoundTripsThroughAeron() throws Exception {
        assertThat(measure(ShmPeer.AERON_YIELD, ShmExperiment.ROUND_TRIP.cell(64))
                        .p50Us())
                .isPositive();
    }

    @Test
    void shouldMeasureRoundTripsThroughPipes() throws Exception {
        List<String> missing = Packages.missing(List.of("gcc", "libc6-dev"));
        assumeTrue(missing.isEmpty(), "missing: " + missing);
        assertThat(measure(ShmPeer.PIPE, ShmExperiment.ROUND_TRIP.cell(64)).p50Us())
                .isPositive();
    }

    @Test
    void shouldFailWithTheReasonWhenAProcessCannotStart() throws Exception {
        Cell tooShort = ShmExperiment.STREAM.cell(4);
        try (Contender contender = ShmPeer.SHM.contender(folder, folder, Path.of("."))) {
            assertThatThrownBy(() -> contender.measure(
                            tooShort, contender.loads(tooShort).get(0), new Span(1, 1)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("shm receiver ended with exit code 1")
                    .hasMessageContaining("size=4");
        }
        assertThat(folder).isEmptyDirectory();
    }
}
