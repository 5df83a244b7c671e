package io.rocketbufs.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Processor time in seconds, read from Linux's counters, which are accurate to 10 ms.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class Processor {
    private static final double TICKS_PER_SECOND = 100.0;
    /** Fields of the {@code cpu} line in /proc/stat: idle time, and time spent waiting for I/O. */
    private static final int IDLE = 3;

    private static final int WAITING = 4;
    private static final int STEAL = 7;
    /** Fields of /proc/PID/stat after the name: user and system time, then that of children that have ended. */
    private static final int OWN = 11;

    private static final int OWN_TIMES = 2;
    private static final int ALL_TIMES = 4;

    private Processor() {}

    /** Returns the time for which any processor was busy, or taken away by the hypervisor. */
    static double busySeconds() throws IOException {
        String[] fields =
                Files.readAllLines(Path.of("/proc/stat")).get(0).trim().split("\\s+");
        double ticks = 0;
        for (int i = 0; i <= STEAL; i++) {
            ticks += i == IDLE || i == WAITING ? 0 : Double.parseDouble(fields[i + 1]);
        }
        return ticks / TICKS_PER_SECOND;
    }

    /** Returns the time of this process and all its descendants. */
    static double ownSeconds() {
        try (Stream<ProcessHandle> descendants = ProcessHandle.current().descendants()) {
            return Stream.concat(Stream.of(ProcessHandle.current()), descendants)
                            .mapToDouble(handle -> ticks(handle.pid(), ALL_TIMES))
                            .sum()
                    / TICKS_PER_SECOND;
        }
    }

    /** Returns the time of one process without its children; 0 when it has ended. */
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
