package io.rocketbufs.benchmarks.transport;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** What this process has cost the processor so far, all its threads together. */
final class ProcessorTime {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private ProcessorTime() {}

    static long ns() {
        return SYSTEM.getProcessCpuTime();
    }
}
