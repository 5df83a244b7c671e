package io.rocketbufs.benchmarks.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The version of an installed program. */
final class ProgramVersion {
    private ProgramVersion() {}

    /** Returns the output of the program's {@code --version} option. */
    static String of(String program) throws IOException, InterruptedException {
        Process asked = new ProcessBuilder(program, "--version")
                .redirectErrorStream(true)
                .start();
        String text = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        asked.waitFor();
        return text.strip();
    }
}
