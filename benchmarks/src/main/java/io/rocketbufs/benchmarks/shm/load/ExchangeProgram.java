package io.rocketbufs.benchmarks.shm.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * One of two processes that exchange messages: {@code rocketbufs SPIN-US DIRECTORY SIZE EXCHANGE [PORT]} or
 * {@code aeron MODE DIRECTORY SIZE EXCHANGE [any]}. Without the last argument, the process receives messages, and
 * prints {@code ready PORT} when the other process can be started. With the last argument, it sends messages, and
 * prints {@code ready} when both processes are connected. Each process then works until it reads {@code end}, and
 * prints a JSON object with the results since it read {@code begin}. It runs until its input ends.
 */
public final class ExchangeProgram {
    private static final int PORT = 5;

    private ExchangeProgram() {}

    /** Runs the program. */
    public static void main(String[] arguments) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (MessageChannel channel = channel(arguments)) {
            ExchangeMeasurement measurement = new ExchangeMeasurement(channel, input, System.out);
            boolean answers = answers(arguments[4]);
            if (arguments.length > PORT) {
                measurement.send(answers);
            } else {
                measurement.receive(answers);
            }
            // The other process may still use the connection.
            while (input.readLine() != null) {}
        }
    }

    private static boolean answers(String exchange) {
        return switch (exchange) {
            case "stream" -> false;
            case "round-trip" -> true;
            default -> throw new IllegalArgumentException("unknown exchange: " + exchange);
        };
    }

    private static MessageChannel channel(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[2]);
        int size = Integer.parseInt(arguments[3]);
        boolean sends = arguments.length > PORT;
        return switch (arguments[0]) {
            case "rocketbufs" -> {
                RocketBufsChannel channel = new RocketBufsChannel(directory, Integer.parseInt(arguments[1]), size);
                if (sends) {
                    channel.connect(Integer.parseInt(arguments[PORT]));
                } else {
                    System.out.println("ready " + channel.listen());
                }
                yield channel;
            }
            case "aeron" -> {
                AeronChannel channel =
                        new AeronChannel(directory.resolve("aeron"), AeronMode.valueOf(arguments[1]), !sends, size);
                if (!sends) {
                    System.out.println("ready 0");
                }
                yield channel;
            }
            default -> throw new IOException("unknown library: " + arguments[0]);
        };
    }
}
