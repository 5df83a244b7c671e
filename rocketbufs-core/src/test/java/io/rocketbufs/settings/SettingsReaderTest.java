package io.rocketbufs.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import org.junit.jupiter.api.Test;

final class SettingsReaderTest {
    @Test
    void shouldReadAListOfTexts() {
        assertThat(reader("a.list = [x, y]").texts("list")).containsExactly("x", "y");
    }

    @Test
    void shouldRefuseAnUnknownKeyInAListedObject() {
        SettingsReader entry =
                reader("a.list = [{port = 1, adress = x}]").list("list").get(0);
        assertThatThrownBy(() -> entry.only("address", "port"))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("adress")
                .hasMessageContaining("did you mean \"address\"?");
    }

    private static SettingsReader reader(String config) {
        return new SettingsReader(ConfigFactory.parseString(config), "a");
    }
}
