package io.rocketbufs.rocketnet.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.settings.SettingsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ShmSettingsTest {
    private static ShmSettings settings(String keys) {
        return ShmSettings.from(ConfigFactory.parseString("rocketbufs.shm { " + keys + " }")
                .withFallback(ConfigFactory.load())
                .resolve());
    }

    @Test
    void shouldReadTheDefaults() {
        ShmSettings settings = settings("");
        assertThat(settings.directoryName()).isEmpty();
        assertThat(settings.channelLength()).isEqualTo(1 << 20);
        assertThat(settings.spinNs()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "channel-length = 300 KiB | channel-length | not a power of two",
                "channel-length = 4 KiB | channel-length | range",
                "group = users | group | requires that rocketbufs.shm.directory is also set",
                "num-threads = -1 | num-threads | range"
            })
    void shouldNameAnInvalidKey(String keys, String key, String reason) {
        assertThatThrownBy(() -> settings(keys))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("rocketbufs.shm." + key)
                .hasMessageContaining(reason);
    }

    @Test
    void shouldRefuseADirectoryWhoseSocketsWouldHaveTooLongPaths() {
        String longest = "/" + "d".repeat(ShmDirectory.MAX_LENGTH - 1);
        assertThat(settings("directory = \"" + longest + "\"").directoryName()).isEqualTo(longest);
        assertThatThrownBy(() -> settings("directory = \"" + longest + "d\""))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("has an absolute path of 97 bytes; the maximum is 96");
    }
}
