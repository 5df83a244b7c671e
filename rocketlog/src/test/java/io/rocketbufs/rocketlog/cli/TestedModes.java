package io.rocketbufs.rocketlog.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/**
 * The transports and producer modes for tests that start many processes. Each value of the system property
 * {@code test.pairs} except {@code all} selects half of the combinations, which includes every transport.
 * {@code bin/check} runs one half with the oldest Java version, and the other half with the newest. Slow tests run with
 * every mode over every transport.
 */
enum TestedModes {
    TCP_SHARED("mixed"),
    SHM_EXCLUSIVE("mixed"),
    RDMA_PRIVATE("mixed"),
    TCP_EXCLUSIVE("same"),
    SHM_PRIVATE("same"),
    RDMA_EXCLUSIVE("same");

    private final String pairs;

    TestedModes(String pairs) {
        this.pairs = pairs;
    }

    /** Returns the transport and the mode of each selected combination. */
    static Stream<Arguments> selected() {
        String selected = System.getProperty("test.pairs", "all");
        return Arrays.stream(values())
                .filter(each -> selected.equals("all") || selected.equals(each.pairs))
                .map(each -> Arguments.of(
                        (Object[]) each.name().toLowerCase(Locale.ROOT).split("_")));
    }
}
