package io.rocketbufs.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The description of a machine in a report.
 *
 * @param processor name of the processor
 * @param processors number of processors
 * @param memory size of the memory, with its unit
 * @param kernel release of the kernel
 */
public record Machine(String processor, int processors, String memory, String kernel) {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final double KIB_PER_GIB = 1 << 20;

    /** Returns the description of this machine. */
    public static Machine here() throws IOException {
        return new Machine(
                value("/proc/cpuinfo", "model name"),
                Runtime.getRuntime().availableProcessors(),
                Math.round(Double.parseDouble(value("/proc/meminfo", "MemTotal").replaceAll("\\D", "")) / KIB_PER_GIB)
                        + " GiB",
                Files.readString(Path.of("/proc/sys/kernel/osrelease")).strip());
    }

    /** Returns a folder in memory, or the folder for temporary files if the machine has no folder in memory. */
    public static Path memoryFolder() {
        return Files.isWritable(SHARED_MEMORY) ? SHARED_MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
    }

    private static String value(String file, String name) throws IOException {
        List<String> lines = Files.readAllLines(Path.of(file));
        return lines.stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("unknown");
    }

    @Override
    public String toString() {
        return processors + " processors (" + processor + "), " + memory + ", Linux " + kernel;
    }
}
