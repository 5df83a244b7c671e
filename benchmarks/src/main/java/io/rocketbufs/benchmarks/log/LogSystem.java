package io.rocketbufs.benchmarks.log;

import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Child;
import io.rocketbufs.benchmarks.compare.Load;
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

    /** Returns true if this log is measured in the cell. */
    boolean takesPartIn(Cell cell);

    /** Returns the loads to try; the window of a load is the length of a batch. */
    List<Load> loads(Cell cell);

    /**
     * Starts a broker, and waits until it is ready.
     *
     * @param folder empty folder for its files
     */
    RunningBroker start(Path folder, BrokerTerms terms) throws IOException, InterruptedException;

    /** Returns the command of the load program. */
    List<String> client(RunningBroker broker);

    /** Returns a part of the line that the client prints if it does not do what is measured; null if it prints none. */
    default String failure() {
        return null;
    }

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

        void pause() throws IOException, InterruptedException {
            if (process != null) {
                process.pause();
            }
        }

        void resume() throws IOException, InterruptedException {
            if (process != null) {
                process.resume();
            }
        }

        @Override
        public void close() {
            if (process != null) {
                process.close();
            }
        }
    }
}
