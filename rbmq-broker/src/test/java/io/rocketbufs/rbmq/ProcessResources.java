package io.rocketbufs.rbmq;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The resources that this process occupies outside its heap, as reported by Linux.
 *
 * @param threads sorted names of the live threads, except for the thread of a waiting test
 * @param descriptorCount number of open file descriptors
 * @param mappedLength bytes of address space, which includes each slab of buffers
 */
record ProcessResources(List<String> threads, long descriptorCount, long mappedLength) {
    static ProcessResources now() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return new ProcessResources(
                    Thread.getAllStackTraces().keySet().stream()
                            .map(Thread::getName)
                            .filter(name -> !name.startsWith("awaitility"))
                            .sorted()
                            .toList(),
                    descriptors.count(),
                    mapped());
        }
    }

    /** Returns the number of heap bytes in use after a garbage collection. */
    static long heapInUse() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static long mapped() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            String line =
                    lines.filter(each -> each.startsWith("VmSize:")).findFirst().orElseThrow();
            return Long.parseLong(line.replaceAll("\\D", "")) << 10;
        }
    }
}
