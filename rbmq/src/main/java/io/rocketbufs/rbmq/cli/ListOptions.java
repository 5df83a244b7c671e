package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.StopRequest;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.json.Json;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of the commands that list a broker's topics or clients, including the options common to all commands. */
final class ListOptions {
    private static final int MAX_LIMIT = 10_000;
    /** Time that must pass after a first request before the broker can report rates. */
    private static final Duration WINDOW = Duration.ofSeconds(1);

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    AdminOptions admin = new AdminOptions();

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            description = "Maximum number of lines, from 1 to 10000; by default 100.")
    int limit;

    @Option(names = "--json", description = "Prints one JSON object with more details.")
    boolean json;

    /** Checks the limit. */
    void check() {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw CommandFailure.usage("--limit " + limit + " is not a number from 1 to " + MAX_LIMIT);
        }
    }

    /**
     * Returns the broker's response, including rates. The broker measures rates only between requests, so this method
     * may send a second request after one second.
     */
    static String withRates(Supplier<String> asking) throws InterruptedException {
        String answer = asking.get();
        if (Json.parse(answer).getLong("windowMs") > 0) {
            return answer;
        }
        try (StopRequest stop = StopRequest.bySignal()) {
            return stop.await(WINDOW) ? answer : asking.get();
        }
    }

    /** Reports on standard error if the list is truncated or empty. */
    static void tellOfCut(Streams streams, Config answer, String what, String remedy) {
        long shown = answer.getLong("shown");
        long matching = answer.getLong("matching");
        if (matching == 0 && answer.getLong("total") > 0) {
            streams.say("none of the " + number(answer.getLong("total")) + " " + what + " match");
        } else if (shown < matching) {
            streams.say(number(shown) + " of " + number(matching) + " " + what + " are shown; " + remedy);
        }
    }

    private static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
