package io.rocketbufs.benchmarks.log;

import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Child;
import io.rocketbufs.benchmarks.compare.Load;
import io.rocketbufs.benchmarks.log.load.LoadOptions;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A log with its client library, as a contender starts them. */
interface LogSystem {
    /** Returns a short name, which is the same in every table. */
    String name();

    /** Returns the name and the version of the product. */
    String version() throws IOException, InterruptedException;

    /** Returns the settings that affect the results. */
    String settings();

    /** Returns true if this log takes part in the experiment. */
    boolean takesPartIn(LogExperiment experiment);

    /** Returns the loads to try; the window of a load is the length of a batch. */
    List<Load> loads(Cell cell);

    /**
     * Starts a broker, and waits until it is ready.
     *
     * @param folder empty folder for its files
     * @param flushes whether it forces records to the disk before it acknowledges them
     */
    RunningBroker start(Path folder, boolean flushes) throws IOException, InterruptedException;

    /** Returns the command of the load program. */
    List<String> client(RunningBroker broker, LoadOptions options);

    /**
     * A broker in a process of its own.
     *
     * @param process the process; null if the clients need none
     * @param address address on which it listens, as the load program expects it
     */
    record RunningBroker(Child process, String address) implements Closeable {
        /** Returns the processor time that it has used, in seconds. */
        double cpuSeconds() {
            return process == null ? 0 : process.cpuSecondsWithChildren();
        }

        @Override
        public void close() {
            if (process != null) {
                process.close();
            }
        }
    }
}
