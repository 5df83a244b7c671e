package io.rocketbufs.rocketlog.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.rocketlog.client.LogClientSettings.Acks;
import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import io.rocketbufs.settings.SettingsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LogClientSettingsTest {
    private static LogClientSettings settings(String given) {
        return LogClientSettings.from(ConfigFactory.parseString(given)
                .withFallback(ConfigFactory.load())
                .resolve());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    memory = 100 KiB, batch = 64 KiB        | producer.memory        | producer.batch
                    ring-capacity = 100 KiB, batch = 64 KiB | producer.ring-capacity | producer.batch
                    mode = shared, acks = none              | producer.mode          | leader
                    linger = 5 s, timeout = 5 s             | producer.linger        | producer.timeout
                    """)
    void shouldNameBothKeysWhenTheirValuesConflict(String given, String key, String other) {
        assertThatExceptionOfType(SettingsException.class)
                .isThrownBy(() -> settings("rocketlog.producer { " + given + " }"))
                .withMessageContainingAll("rocketlog." + key, other);
    }

    @Test
    void shouldRefuseCopiesWhoseValuesConflict() {
        LogClientSettings.Producer lingering =
                settings("rocketlog.producer.linger = 5 s").producer();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lingering.withTimeout(5000))
                .withMessageContaining("lingerMs=5000")
                .withMessageContaining("timeoutMs=5000");
        assertThat(lingering.withTimeout(5001).timeoutMs()).isEqualTo(5001);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lingering.with(Acks.NONE, ProduceMode.EXCLUSIVE))
                .withMessage(LogClientSettings.ACKS_NEEDED);
        assertThat(lingering.with(Acks.NONE, ProduceMode.PRIVATE).acks()).isEqualTo(Acks.NONE);
    }
}
