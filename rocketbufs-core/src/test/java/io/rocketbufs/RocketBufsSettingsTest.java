package io.rocketbufs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.settings.SettingsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RocketBufsSettingsTest {
    private static RocketBufsSettings with(String line) {
        Config config = ConfigFactory.parseString(line)
                .withFallback(ConfigFactory.defaultReference())
                .resolve();
        return RocketBufsSettings.from(config);
    }

    @Test
    void shouldHaveTheDefaultsOfTheReference() {
        assertThat(with(""))
                .isEqualTo(new RocketBufsSettings(
                        "auto", 1 << 20, 64 << 20, true, 64 << 20, 2000, 10_000, 5000, 1000, 5000, 5000));
    }

    @Test
    void shouldReadConfiguredValues() {
        assertThat(with("rocketbufs { transport = rdma, buffer-capacity = 1 GiB, heartbeat-interval = 3 s }"))
                .isEqualTo(new RocketBufsSettings(
                        "rdma", 1 << 30, 64 << 20, true, 64 << 20, 3000, 10_000, 5000, 1000, 5000, 5000));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "buffer-capacity = 0",
                "buffer-capacity = 2 TiB",
                "connection-credit = 0",
                "connection-credit = 2 TiB",
                "coalescing = 2",
                "slab-length = 0",
                "heartbeat-interval = 0",
                "heartbeat-interval = 2 h",
                "heartbeat-timeout = 0",
                "greeting-timeout = 0",
                "ungreeted-connections = 0",
                "close-timeout = 2 days",
                "close-timeout = soon",
                "write-timeout = 0",
                "write-timeout = 2 h",
                "transport = [tcp]"
            })
    void shouldRejectValuesOutOfRangeOrOfTheWrongType(String line) {
        String key = line.substring(0, line.indexOf(' '));
        assertThatThrownBy(() -> with("rocketbufs." + line))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("rocketbufs." + key);
    }

    @Test
    void shouldRefuseATimeoutThatIsNotLongerThanTheInterval() {
        assertThatThrownBy(() -> with("rocketbufs { heartbeat-interval = 4 s, heartbeat-timeout = 4 s }"))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("rocketbufs.heartbeat-timeout: must be longer than heartbeat-interval");
    }

    @Test
    void shouldRejectANumberInsteadOfASection() {
        assertThatThrownBy(() -> with("rocketbufs = 5")).isInstanceOf(SettingsException.class);
    }
}
