package io.rocketbufs.benchmarks.shm;

import io.aeron.AeronVersion;
import io.rocketbufs.benchmarks.CCompiler;
import io.rocketbufs.benchmarks.Revision;
import io.rocketbufs.benchmarks.compare.Contender;
import io.rocketbufs.benchmarks.shm.load.AeronMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A contender of {@code bin/bench shm}. */
enum ShmPeer {
    /** RocketBufs with workers that sleep while they have no work. */
    SHM,
    /** RocketBufs with workers that poll for work before they sleep. */
    SHM_SPIN,
    AERON,
    AERON_YIELD,
    AERON_SPIN,
    AERON_DEDICATED,
    /** Two pipes, one for each direction, used by C programs. */
    PIPE;

    /** All modes of Aeron. */
    static final List<ShmPeer> ALL_OF_AERON = List.of(AERON, AERON_YIELD, AERON_SPIN, AERON_DEDICATED);

    /**
     * Time in microseconds for which a worker polls. It is long enough to prevent sleeping while messages are
     * exchanged.
     */
    private static final int SPIN_US = 10_000;

    /**
     * Creates the contender.
     *
     * @param programs folder for programs
     * @param memory folder in memory for files that the processes share
     * @param home folder of the checkout
     */
    Contender contender(Path programs, Path memory, Path home) throws IOException, InterruptedException {
        return switch (this) {
            case SHM -> rocketBufs(0, memory, home);
            case SHM_SPIN -> rocketBufs(SPIN_US, memory, home);
            case AERON -> aeron(AeronMode.DEFAULT, memory);
            case AERON_YIELD -> aeron(AeronMode.YIELD, memory);
            case AERON_SPIN -> aeron(AeronMode.SPIN, memory);
            case AERON_DEDICATED -> aeron(AeronMode.DEDICATED, memory);
            case PIPE -> new PipeContender(toString(), CCompiler.compile("pipe_trip", programs, List.of()));
        };
    }

    private Contender rocketBufs(int spinUs, Path memory, Path home) throws IOException, InterruptedException {
        return new ProcessPair(
                new ProcessPair.Product(
                        toString(),
                        Revision.of(home),
                        spinUs == 0 ? "defaults" : "rocketbufs.shm.spin-us = " + spinUs,
                        List.of(),
                        List.of("rocketbufs", Integer.toString(spinUs))),
                memory);
    }

    private Contender aeron(AeronMode mode, Path memory) {
        List<String> flags = new ArrayList<>(List.of("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"));
        if (mode.isTuned()) {
            flags.add("-Dagrona.disable.bounds.checks=true");
        }
        return new ProcessPair(
                new ProcessPair.Product(
                        toString(), "Aeron " + AeronVersion.VERSION, mode.text(), flags, List.of("aeron", mode.name())),
                memory);
    }

    /** Returns the contender's name on the command line and in tables. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
