package io.rocketbufs.benchmarks.micro;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Tests that briefly run the inner-loop benchmarks in this process. The measured times are ignored. */
class InnerLoopTest {
    /**
     * Maximum number of bytes allocated per operation: half the size of the smallest object. JMH and the compiler
     * allocate less.
     */
    private static final double HALF_AN_OBJECT = 8;

    private static final int ROUNDS = 8;

    private static final long FIRST_MS = 50;

    /** Allows JMH to run while other measurements run on this machine, because they do not affect this test. */
    @BeforeAll
    static void ignoreOthers() {
        System.setProperty("jmh.ignoreLock", "true");
    }

    @Test
    @Timeout(600)
    void shouldAllocateNoObjectsPerOperation() throws RunnerException {
        Set<String> allocating = allocating(InnerLoop.class.getPackageName() + ".*", FIRST_MS);
        // Class loading and other threads of this process also allocate, but not in every iteration. On a busy machine,
        // an iteration may contain so few operations that the iteration's own allocations matter.
        for (int round = 1; round < ROUNDS && !allocating.isEmpty(); round++) {
            Set<String> again = new TreeSet<>();
            for (String benchmark : allocating) {
                again.addAll(allocating(Pattern.quote(benchmark), FIRST_MS << round));
            }
            allocating = again;
        }

        assertThat(allocating).isEmpty();
    }

    /** Returns the names of the benchmarks that allocate. Throws an exception if a benchmark fails. */
    private static Set<String> allocating(String include, long ms) throws RunnerException {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(include)
                .param("length", "16")
                .param("message", "SUBSCRIBE", "SUBSCRIBED", "CREDIT", "GAP", "PING")
                .forks(0)
                .warmupIterations(1)
                .warmupTime(TimeValue.milliseconds(FIRST_MS))
                .measurementIterations(1)
                .measurementTime(TimeValue.milliseconds(ms))
                .addProfiler(GCProfiler.class)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
        Set<String> names = new TreeSet<>();
        for (RunResult result : new Runner(options.build()).run()) {
            if (result.getSecondaryResults().get("gc.alloc.rate.norm").getScore() > HALF_AN_OBJECT) {
                names.add(result.getParams().getBenchmark());
            }
        }
        return names;
    }
}
