package io.rocketbufs.rocketnet.tcp;

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

final class TcpSettingsTest {
    @TempDir
    Path directory;

    @Test
    void shouldUseTheDefaultsOfReferenceConf() {
        TcpSettings settings = TcpSettings.from(ConfigFactory.load());
        assertThat(settings)
                .isEqualTo(new TcpSettings(
                        Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
                        false,
                        TcpSettings.Io.AUTO,
                        0,
                        256 << 10,
                        0,
                        64 << 10,
                        4 << 10,
                        5_000,
                        1024));
    }

    @ParameterizedTest
    @CsvSource({
        "num-threads, -1, '-1 is not in the range 0 to 1024'",
        "num-threads, many, 'cannot be read'",
        "thread-pinning, 2, 'cannot be read'",
        "io, epol, '\"epol\" is not one of auto, epoll, nio; did you mean \"epoll\"?'",
        "io, io_uring, '\"io_uring\" is not one of auto, epoll, nio'",
        "spin-us, -1, '-1 is not in the range 0 to 1000000'",
        "send-buffer, 4 GiB, '4294967296 bytes is not in the range 0 to 1073741824'",
        "receive-buffer, -1, '-1'",
        "stage-length, 7, '7 bytes is not in the range 8 to 16777216'",
        "direct-threshold, 0, '0 bytes is not in the range 1 to 2147483647'",
        "connect-timeout, 0 s, '0 ms is not in the range 1 to 86400000'",
        "backlog, 0, '0 is not in the range 1 to 65535'",
    })
    void shouldNameTheBadKeyWithFileAndLine(String key, String value, String what) throws Exception {
        Path file = directory.resolve("application.conf");
        Files.writeString(file, "rocketbufs.tcp {\n\n  " + key + " = " + value + "\n}\n");
        assertThatThrownBy(() ->
                        TcpSettings.from(ConfigFactory.parseFile(file.toFile()).withFallback(ConfigFactory.load())))
                .isInstanceOf(SettingsException.class)
                .hasMessageContainingAll(file.getFileName() + ": 3: rocketbufs.tcp." + key + ": ", what);
    }
}
