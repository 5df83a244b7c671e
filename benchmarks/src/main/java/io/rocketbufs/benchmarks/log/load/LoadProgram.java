package io.rocketbufs.benchmarks.log.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The load program, whose arguments are {@code LIBRARY ADDRESS SETTINGS}. For each line with {@link LoadOptions} that
 * it reads, it performs one measurement. It prints {@code ready} when its clients are connected, and works until it
 * reads {@code end}. It then prints a JSON object with the results since it read {@code begin}. Until then, it answers
 * {@code progress} with the number of records or polls so far. It runs until its input ends, so that its code is
 * compiled only once. Between two measurements, it has no connections.
 */
public final class LoadProgram {
    /** Memory in bytes of an in-memory topic. In the largest experiment, 320 MB of records are read repeatedly. */
    private static final long CAPACITY = 512 << 20;

    private LoadProgram() {}

    /** Runs the program. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String result;
            try (LogClient client = client(arguments[0], arguments[1], arguments[2])) {
                result = new LoadMeasurement(client, LoadOptions.of(line), input, System.out).run();
            }
            System.out.println(result);
        }
    }

    private static LogClient client(String library, String address, String settings)
            throws IOException, InterruptedException {
        return switch (library) {
            case "rocketlog" -> new RocketlogClient(address, settings, 0);
            case "rocketlog-memory" -> new RocketlogClient(address, settings, CAPACITY);
            case "kafka" -> new KafkaClient(address);
            case "redis" -> new RedisClient(address);
            case "chronicle" -> new ChronicleClient(Path.of(address));
            case "jetstream" -> JetStreamClient.connect(address);
            default -> throw new IllegalArgumentException("unknown client library: " + library);
        };
    }
}
