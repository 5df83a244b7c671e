package io.rocketbufs.rbmq.broker;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The physical memory that this process uses: heap, buffers, and everything else. It is measured on request, at most
 * ten times a second.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class ProcessMemory {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RESIDENT = "VmRSS:";
    private static final long VALID_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final LongSupplier measure;
    private final LongSupplier clockNs;
    private long usedBytes;
    private long measuredNs;
    private boolean measured;

    /** Measures this process. */
    ProcessMemory() {
        this(ProcessMemory::resident, System::nanoTime);
    }

    /**
     * @param measure supplies the number of bytes in use
     * @param clockNs a clock in nanoseconds
     */
    ProcessMemory(LongSupplier measure, LongSupplier clockNs) {
        this.measure = measure;
        this.clockNs = clockNs;
    }

    /** Returns the number of bytes in use; 0 if the operating system does not report it. */
    synchronized long used() {
        long now = clockNs.getAsLong();
        if (!measured || now - measuredNs >= VALID_NS) {
            usedBytes = measure.getAsLong();
            measuredNs = now;
            measured = true;
        }
        return usedBytes;
    }

    /**
     * Returns the number of bytes of memory available to this process: that of its container, if any, otherwise that of
     * the machine.
     */
    static long available() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getTotalMemorySize()
                : Long.MAX_VALUE;
    }

    private static long resident() {
        try {
            return Files.isReadable(STATUS) ? resident(Files.readAllLines(STATUS)) : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    /**
     * Returns the number of resident bytes according to the lines of {@code /proc/self/status}; 0 if no line reports
     * it.
     */
    static long resident(List<String> status) {
        return status.stream()
                .filter(line -> line.startsWith(RESIDENT))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                .findAny()
                .orElse(0);
    }
}
