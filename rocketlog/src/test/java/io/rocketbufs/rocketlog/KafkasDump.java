package io.rocketbufs.rocketlog;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kafka.tools.DumpLogSegments;
import scala.Console;

/** A runner for Kafka's own tool that dumps segments. */
public final class KafkasDump {
    private KafkasDump() {}

    /** Returns the tool's output for the given files, in the given order. */
    public static String of(List<Path> files, String... options) {
        String names = files.stream().map(Path::toString).collect(Collectors.joining(","));
        String[] arguments =
                Stream.concat(Stream.of(options), Stream.of("--files", names)).toArray(String[]::new);
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        // Scala looks up standard output only once, so System.setOut would work only in the first test.
        Console.withOut(output, () -> {
            DumpLogSegments.main(arguments);
            return null;
        });
        return output.toString(UTF_8);
    }
}
