package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.settings.SettingsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RdmaSettingsTest {
    @TempDir
    Path directory;

    private static RdmaSettings settings(String... lines) {
        return RdmaSettings.from(ConfigFactory.parseString("rocketbufs.rdma { " + String.join("\n", lines) + " }")
                .withFallback(ConfigFactory.load()));
    }

    @Test
    void shouldUseTheDefaultsOfReferenceConf() {
        assertThat(settings())
                .isEqualTo(
                        new RdmaSettings(RdmaSettings.AUTO, "libfabric.so.1", 0, 128, 128, 16, 256, 0, 1_000, 5_000));
    }

    @Test
    void shouldReadEveryKey() {
        assertThat(settings(
                        "provider = sockets",
                        "library = /opt/lib/libfabric.so",
                        "num-threads = 2",
                        "receives = 4",
                        "window = 2",
                        "signal-interval = 1",
                        "inject-threshold = 0",
                        "spin-us = 30",
                        "max-connections = " + Contexts.MAX_CONNECTION,
                        "connect-timeout = 100 ms"))
                .isEqualTo(new RdmaSettings(
                        "sockets", "/opt/lib/libfabric.so", 2, 4, 2, 1, 0, 30_000, Contexts.MAX_CONNECTION, 100));
    }

    @ParameterizedTest
    @CsvSource({
        "provider, verb, '\"verb\" is not one of verbs, tcp, sockets, auto; did you mean \"verbs\"?'",
        "provider, psm2, '\"psm2\" is not one of verbs, tcp, sockets, auto'",
        "library, [], 'cannot be read'",
        "num-threads, -1, '-1 is not in the range 0 to 1024'",
        "num-threads, many, 'cannot be read'",
        "receives, 3, '3 is not in the range 4 to 16384'",
        "receives, 16385, '16385 is not in the range 4 to 16384'",
        "window, 1, '1 is not in the range 2 to 16384'",
        "window, 16385, '16385 is not in the range 2 to 16384'",
        "signal-interval, 0, '0 is not in the range 1 to 16384'",
        "signal-interval, 65, 'must be at most half of window = 128'",
        "window, 31, 'must be at most half of window = 31'",
        "inject-threshold, -1, '-1'",
        "inject-threshold, 4 GiB, '4294967296 bytes is not in the range 0 to 2147483647'",
        "spin-us, -1, '-1 is not in the range 0 to 1000000'",
        "max-connections, 0, '0 is not in the range 1 to 65535'",
        "max-connections, 65536, '65536 is not in the range 1 to 65535'",
        "connect-timeout, 0 s, '0 ms is not in the range 1 to 86400000'",
    })
    void shouldNameTheBadKeyWithFileAndLine(String key, String value, String what) throws Exception {
        Path file = directory.resolve("application.conf");
        Files.writeString(file, "rocketbufs.rdma {\n\n  " + key + " = " + value + "\n}\n");
        boolean ofAnother = key.equals("window") && value.equals("31");
        assertThatThrownBy(() ->
                        RdmaSettings.from(ConfigFactory.parseFile(file.toFile()).withFallback(ConfigFactory.load())))
                .isInstanceOf(SettingsException.class)
                .hasMessageContainingAll(
                        ofAnother
                                ? "rocketbufs.rdma.signal-interval: "
                                : file.getFileName() + ": 3: rocketbufs.rdma." + key + ": ",
                        what);
    }
}
