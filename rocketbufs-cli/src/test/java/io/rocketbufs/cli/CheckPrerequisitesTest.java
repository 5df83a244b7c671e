package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the output of {@code bin/check} when programs are missing. */
@Tag("once")
final class CheckPrerequisitesTest {
    @TempDir
    Path folder;

    @Test
    void shouldNameThePackageOfEachMissingProgramThatTestsStart() throws Exception {
        Files.createSymbolicLink(folder.resolve("dirname"), Path.of("/usr/bin/dirname"));
        ProcessBuilder builder = new ProcessBuilder("/bin/bash", "../bin/check").redirectErrorStream(true);
        builder.environment().put("PATH", folder.toString());
        Process check = builder.start();
        String output = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(check.waitFor()).isEqualTo(1);
        assertThat(output.lines().filter(line -> line.startsWith("missing: ")).toList())
                .singleElement()
                .satisfies(line ->
                        assertThat(line.split(" ")).contains("maven", "ffmpeg", "curl", "chromium", "tmux", "openssl"));
    }
}
