package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;

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
 * @param descriptors sorted kinds of the open file descriptors, such as {@code socket} or the path of a file, except for
 *     the jars, which the JVM opens when it first needs one of their classes
 * @param mappedLength bytes of address space, which includes each slab of buffers
 */
record ProcessResources(List<String> threads, List<String> descriptors, long mappedLength) {
    static ProcessResources now() throws IOException {
        return new ProcessResources(
                Thread.getAllStackTraces().keySet().stream()
                        .map(Thread::getName)
                        .filter(name -> !name.startsWith("awaitility"))
                        .sorted()
                        .toList(),
                openDescriptors(),
                mapped());
    }

    /** Asserts that at most as many descriptors are open as before. If more are open, the error lists all of both. */
    void assertNoMoreDescriptorsThan(ProcessResources before) {
        assertThat(descriptors)
                .as("descriptors; before: %s", before.descriptors)
                .hasSizeLessThanOrEqualTo(before.descriptors.size());
    }

    private static List<String> openDescriptors() throws IOException {
        try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
            return links.map(ProcessResources::kind)
                    .filter(kind -> !kind.endsWith(".jar"))
                    .sorted()
                    .toList();
        }
    }

    private static String kind(Path link) {
        try {
            return Files.readSymbolicLink(link).toString().replaceAll("\\[\\d+]|\\d+", "");
        } catch (IOException e) {
            return "closed";
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
