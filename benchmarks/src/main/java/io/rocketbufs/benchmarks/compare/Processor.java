package io.rocketbufs.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Methods that return processor time in seconds. They read Linux's counters, which are accurate to 10 ms.
 *
 * <p><b>Thread-safety:</b> any thread may use it.
 */
final class Processor {
    private static final double TICKS_PER_SECOND = 100.0;
    /**
     * Indexes of fields in the {@code cpu} line of /proc/stat: idle time, time spent waiting for I/O, and time taken by
     * the hypervisor.
     */
    private static final int IDLE = 3;

    private static final int WAITING = 4;
    private static final int STEAL = 7;
    /**
     * Index of the first time in /proc/PID/stat, counted from the field after the name. The four times are the user and
     * system time of the process, and the user and system time of its children that have ended.
     */
    private static final int OWN = 11;

    private static final int OWN_TIMES = 2;
    private static final int ALL_TIMES = 4;

    private Processor() {}

    /** Returns the total time during which the processors were busy or taken by the hypervisor. */
    static double busySeconds() throws IOException {
        String[] fields =
                Files.readAllLines(Path.of("/proc/stat")).get(0).trim().split("\\s+");
        double ticks = 0;
        for (int i = 0; i <= STEAL; i++) {
            ticks += i == IDLE || i == WAITING ? 0 : Double.parseDouble(fields[i + 1]);
        }
        return ticks / TICKS_PER_SECOND;
    }

    /** Returns the processor time of this process and all its descendants. */
    static double ownSeconds() {
        try (Stream<ProcessHandle> descendants = ProcessHandle.current().descendants()) {
            return Stream.concat(Stream.of(ProcessHandle.current()), descendants)
                            .mapToDouble(handle -> ticks(handle.pid(), ALL_TIMES))
                            .sum()
                    / TICKS_PER_SECOND;
        }
    }

    /** Returns the processor time of one process without its children, or 0 if the process has ended. */
    static double seconds(long pid) {
        return ticks(pid, OWN_TIMES) / TICKS_PER_SECOND;
    }

    private static double ticks(long pid, int count) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            double sum = 0;
            for (int i = 0; i < count; i++) {
                sum += Double.parseDouble(fields[OWN + i]);
            }
            return sum;
        } catch (IOException e) {
            // The process has ended.
            return 0;
        }
    }
}
