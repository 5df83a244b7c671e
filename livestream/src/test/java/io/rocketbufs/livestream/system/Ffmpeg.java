package io.rocketbufs.livestream.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process of the real ffmpeg, ffprobe or curl, whose output is collected. */
final class Ffmpeg implements AutoCloseable {
    private static final long LIMIT_S = 150;

    private final Process process;
    private final Path output;

    private Ffmpeg(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /**
     * Returns the ffmpeg arguments for a source with a moving test picture, a tone, the given duration in seconds and a
     * key frame every two seconds.
     */
    static List<String> source(int seconds, String readRate) {
        String command = "ffmpeg -hide_banner -nostdin -loglevel warning -y"
                + " -readrate " + readRate + " -f lavfi -i testsrc2=size=320x180:rate=30"
                + " -f lavfi -i sine=frequency=440:sample_rate=48000"
                + " -t " + seconds + " -map 0:v -map 1:a"
                + " -c:v libx264 -preset ultrafast -tune zerolatency -b:v 500k -pix_fmt yuv420p"
                + " -g 60 -sc_threshold 0 -c:a aac -b:a 64k -flags +global_header";
        return List.of(command.split(" "));
    }

    /** Pushes the source to several destinations simultaneously. */
    static Ffmpeg push(int seconds, String readRate, String... places) {
        List<String> command = new ArrayList<>(source(seconds, readRate));
        command.addAll(List.of("-f", "tee", String.join("|", places)));
        return start(command);
    }

    static Ffmpeg start(List<String> command) {
        try {
            Path output = Files.createTempFile(Files.createDirectories(Path.of("target", "ffmpeg")), "out", ".txt");
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
            return new Ffmpeg(builder.start(), output);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    command.get(0) + " is needed: apt-get install -y --no-install-recommends ffmpeg curl", e);
        }
    }

    /** Runs a command and returns its output. Fails if the command fails. */
    static String run(String... command) {
        try (Ffmpeg running = start(List.of(command))) {
            return running.finish();
        }
    }

    /** Waits for the end of the process and returns its output. Fails if the process fails. */
    String finish() {
        try {
            assertThat(process.waitFor(LIMIT_S, TimeUnit.SECONDS))
                    .as("ended within %d s; output: %s", LIMIT_S, said())
                    .isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        assertThat(process.exitValue()).as(said()).isZero();
        return said();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    String said() {
        try {
            return new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the process. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    @Override
    public void close() {
        kill();
    }

    /**
     * Returns the contents of the files in a folder whose names match a pattern with consecutive numbers, starting at
     * 0.
     */
    static List<byte[]> files(File folder, String pattern) throws IOException {
        List<byte[]> files = new ArrayList<>();
        for (int i = 0; ; i++) {
            File file = new File(folder, pattern.formatted(i));
            if (!file.exists()) {
                return files;
            }
            files.add(Files.readAllBytes(file.toPath()));
        }
    }
}
