package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.memory.MemoryPool;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * The resources that this process occupies outside its heap, as reported by Linux.
 *
 * @param threads sorted names of the live threads, except for the thread of a waiting test
 * @param descriptors sorted kinds of the open file descriptors, such as {@code socket} or the path of a file, except
 *     for the jars, which the JVM opens when it first needs one of their classes
 * @param mappedLength bytes of address space that this process can write to, which includes each slab of buffers,
 *     without files and without the heap. Space that malloc and the JVM have only reserved does not count
 */
record ProcessResources(List<String> threads, List<String> descriptors, long mappedLength) {
    /** Number of garbage collections that must release no memory. Another thread unmaps what a collection has found. */
    private static final int SETTLED_COUNT = 5;

    private static final long MIB = 1 << 20;

    /** Returns the resources once several garbage collections in succession have released no more memory. */
    static ProcessResources settled() throws IOException {
        AtomicLong least = new AtomicLong(Long.MAX_VALUE);
        AtomicInteger count = new AtomicInteger();
        await().until(() -> {
            System.gc();
            long mapped = mapped();
            count.set(mapped < least.get() - MIB ? 0 : count.get() + 1);
            least.accumulateAndGet(mapped, Math::min);
            return count.get() >= SETTLED_COUNT;
        });
        return now();
    }

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

    /**
     * Asserts that the rounds since then have not left threads or descriptors behind. A few more than before are not a
     * leak: the JVM and libraries start some threads and open some files only once, when they first need them.
     */
    void assertNoLeakSince(ProcessResources before, int rounds) {
        assertThat(threads)
                .as("threads; before: %s", before.threads)
                .hasSizeLessThanOrEqualTo(before.threads.size() + rounds / 10);
        assertNoDescriptorLeakSince(before, rounds);
    }

    /** Asserts that the rounds since then have not left descriptors behind, like {@link #assertNoLeakSince}. */
    void assertNoDescriptorLeakSince(ProcessResources before, int rounds) {
        assertThat(descriptors)
                .as("descriptors; before: %s", before.descriptors)
                .hasSizeLessThanOrEqualTo(before.descriptors.size() + rounds / 10);
    }

    /**
     * Asserts that the process does not have more memory mapped than before. Exceptions are the spare slabs of open
     * pools, and memory of the JVM itself, which is less than half a slab.
     */
    void assertNoMoreMemoryThan(ProcessResources before, int spareSlabs) {
        assertThat(mappedLength)
                .isLessThan(before.mappedLength
                        + spareSlabs * MemoryPool.DEFAULT_SLAB_LENGTH
                        + MemoryPool.DEFAULT_SLAB_LENGTH / 2);
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
        try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
            return mappings.mapToLong(ProcessResources::writableLength).sum()
                    - ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted();
        }
    }

    /** Returns the length of a mapping; 0 if it is a file or cannot be written to. */
    private static long writableLength(String mapping) {
        String[] fields = mapping.split(" +"); // range, permissions, offset, device, inode
        if (!fields[1].equals("rw-p") || !fields[4].equals("0")) {
            return 0;
        }
        String[] range = fields[0].split("-");
        return Long.parseUnsignedLong(range[1], 16) - Long.parseUnsignedLong(range[0], 16);
    }
}
