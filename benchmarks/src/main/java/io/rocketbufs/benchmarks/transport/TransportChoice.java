package io.rocketbufs.benchmarks.transport;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/** Opens the transport that the options name, with the options that it has keys for. */
final class TransportChoice {
    /** Our options and the keys below {@code rocketbufs.<transport>} that mean the same. */
    private static final Map<String, String> KEYS = Map.of(
            "provider", "provider",
            "window", "window",
            "signal-interval", "signal-interval",
            "inject", "inject-threshold",
            "wait", "spin-us");
    /** As good as for ever, for a key in microseconds. */
    private static final String SPINNING = "1000000";

    private TransportChoice() {}

    static Transport open(BenchOptions options) {
        List<String> names = new ArrayList<>();
        for (TransportProvider provider : ServiceLoader.load(TransportProvider.class)) {
            if (provider.name().equals(options.text("transport"))) {
                return provider.open(config(options));
            }
            names.add(provider.name());
        }
        throw new IllegalArgumentException("--transport " + options.text("transport") + ": there are " + names);
    }

    private static Config config(BenchOptions options) {
        StringBuilder overrides = new StringBuilder();
        for (String entry : options.list("set")) {
            overrides.append(entry).append('\n');
        }
        Config known = ConfigFactory.load();
        String prefix = "rocketbufs." + options.text("transport") + ".";
        KEYS.forEach((option, key) -> {
            if (known.hasPathOrNull(prefix + key)) {
                overrides
                        .append(prefix)
                        .append(key)
                        .append(" = ")
                        .append(value(option, options))
                        .append('\n');
            }
        });
        return ConfigFactory.parseString(overrides.toString())
                .withFallback(known)
                .resolve();
    }

    private static String value(String option, BenchOptions options) {
        String text = options.text(option);
        if (option.equals("wait")) {
            return text.equals("spin") ? SPINNING : "0";
        }
        return text;
    }

    /** The options that the transport has no key for: with those it goes its own way. */
    static List<String> unknown(BenchOptions options) {
        Config known = ConfigFactory.load();
        return KEYS.entrySet().stream()
                .filter(entry ->
                        !known.hasPathOrNull("rocketbufs." + options.text("transport") + "." + entry.getValue()))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }
}
