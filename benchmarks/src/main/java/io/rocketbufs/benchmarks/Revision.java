package io.rocketbufs.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The revision of the measured sources. */
public final class Revision {
    private Revision() {}

    /** Returns the commit of the checkout that contains a folder, and the Java version. */
    public static String of(Path folder) throws IOException, InterruptedException {
        Process git = new ProcessBuilder("git", "log", "-1", "--format=commit %h")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String text = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        git.waitFor();
        return text.strip() + ", Java " + Runtime.version();
    }
}
