package io.rocketbufs.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The memory that this process has committed, as reported by Linux. */
final class ResidentMemory {
    private ResidentMemory() {}

    static long length() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            String line = lines.filter(l -> l.startsWith("VmRSS:")).findFirst().orElseThrow();
            return Long.parseLong(line.replaceAll("\\D", "")) << 10;
        }
    }
}
