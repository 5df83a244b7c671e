package io.rocketbufs.benchmarks.log;

import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Child;
import io.rocketbufs.benchmarks.compare.Load;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A log and its client library, as started by a contender. */
interface LogSystem {
    /** Returns a short name, which is the same in every table. */
    String name();

    /** Returns the product's name and version. */
    String version() throws IOException, InterruptedException;

    /** Returns the settings that affect the results. */
    String settings();

    /** Returns whether this log is measured in the cell. */
    boolean takesPartIn(Cell cell);

    /** Returns the loads to try. The window of a load is the length of a batch in bytes. */
    List<Load> loads(Cell cell);

    /**
     * Starts a broker and waits until it is ready.
     *
     * @param folder empty folder for the broker's files
     */
    RunningBroker start(Path folder, BrokerTerms terms) throws IOException, InterruptedException;

    /** Returns the command line of the load program. */
    List<String> client(RunningBroker broker);

    /**
     * Returns part of the line that the client prints if it does not work in the measured way, or null if it prints no
     * such line.
     */
    default String failure() {
        return null;
    }

    /**
     * A broker in a separate process.
     *
     * @param process process of the broker; null if the clients need no broker
     * @param address address on which the broker listens, in the form that the load program expects
     */
    record RunningBroker(Child process, String address) implements Closeable {
        /** Returns the processor time in seconds that the broker has used. */
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
