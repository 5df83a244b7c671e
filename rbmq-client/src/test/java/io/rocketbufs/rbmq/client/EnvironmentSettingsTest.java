package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.settings.SettingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EnvironmentSettingsTest {
    @TempDir
    Path folder;

    /** Returns the settings of a program, given its environment, its higher-priority settings and its file. */
    private static ClientSettings settings(Map<String, String> variables, String higher, String file) {
        Config above = ConfigFactory.parseString(higher);
        return ClientSettings.from(above.withFallback(EnvironmentSettings.from(variables, above))
                .withFallback(ConfigFactory.parseString(file))
                .withFallback(ConfigFactory.parseResources("reference.conf"))
                .resolve());
    }

    @Test
    void shouldReadTheBrokerAndTheToken() throws IOException {
        ClientSettings settings = settings(Map.of("RBMQ_BROKER", "a.example:1,b.example:2", "RBMQ_TOKEN", "t"), "", "");
        assertThat(settings.brokers()).hasToString("[a.example:1, b.example:2]");
        assertThat(settings.token()).isEqualTo("t");
        Path file = Files.writeString(folder.resolve("token"), "in a file\n");
        assertThat(settings(Map.of("RBMQ_TOKEN_FILE", file.toString()), "", "").token())
                .isEqualTo("in a file");
    }

    @Test
    void shouldOverrideAConfigurationFile() throws IOException {
        Path file = Files.writeString(folder.resolve("token"), "variable");
        assertThat(settings(Map.of("RBMQ_TOKEN", "variable"), "", "rbmq.client.token = file")
                        .token())
                .isEqualTo("variable");
        assertThat(settings(Map.of("RBMQ_TOKEN", "variable"), "", "rbmq.client.token-file = /nonexistent")
                        .token())
                .isEqualTo("variable");
        assertThat(settings(Map.of("RBMQ_TOKEN_FILE", file.toString()), "", "rbmq.client.token = file")
                        .token())
                .isEqualTo("variable");
    }

    @Test
    void shouldGiveWayToWhatTakesPrecedence() throws IOException {
        Map<String, String> variables = Map.of("RBMQ_BROKER", "a.example:1", "RBMQ_TOKEN", "variable");
        Path file = Files.writeString(folder.resolve("token"), "in a file");
        assertThat(settings(variables, "rbmq.client.token = option", "").token())
                .isEqualTo("option");
        assertThat(settings(variables, "rbmq.client.token = \"\"", "").token()).isEmpty();
        assertThat(settings(variables, "rbmq.client.token-file = \"" + file + "\"", "")
                        .token())
                .isEqualTo("in a file");
        assertThat(settings(variables, "rbmq.client.broker = \"b.example:2\"", "")
                        .brokers())
                .hasToString("[b.example:2]");
    }

    @Test
    void shouldIgnoreEmptyVariables() {
        Map<String, String> variables = Map.of("RBMQ_BROKER", "", "RBMQ_TOKEN", "", "RBMQ_TOKEN_FILE", "");
        assertThat(settings(variables, "", "rbmq.client { token = file, broker = \"a.example:1\" }"))
                .asString()
                .isEqualTo(settings(Map.of(), "", "rbmq.client { token = file, broker = \"a.example:1\" }")
                        .toString());
    }

    @Test
    void shouldNameTheVariableOfAnError() {
        assertThatThrownBy(() -> settings(Map.of("RBMQ_BROKER", "nowhere"), "", ""))
                .isInstanceOf(SettingsException.class)
                .hasMessageStartingWith("environment variable RBMQ_BROKER: rbmq.client.broker: \"nowhere\"");
        assertThatThrownBy(() -> settings(Map.of("RBMQ_TOKEN", "hunter2".repeat(40)), "", ""))
                .hasMessage("environment variable RBMQ_TOKEN: rbmq.client.token: must have at most 255 bytes of UTF-8,"
                        + " without control characters");
        assertThatThrownBy(() -> settings(Map.of("RBMQ_TOKEN_FILE", "/nonexistent"), "", ""))
                .hasMessageStartingWith("environment variable RBMQ_TOKEN_FILE: rbmq.client.token-file: cannot read");
        assertThatThrownBy(() -> settings(Map.of("RBMQ_TOKEN", "hunter2", "RBMQ_TOKEN_FILE", "f"), "", ""))
                .hasMessage("environment: RBMQ_TOKEN_FILE: cannot be set together with RBMQ_TOKEN");
    }

    @Test
    void shouldBeAmongTheDefaultsOfClients() {
        Config config = ClientOptions.inEnvironment(Map.of("RBMQ_BROKER", "a.example:1", "RBMQ_TOKEN", "t"));
        ClientOptions options = ClientOptions.from(config);
        assertThat(options.publisher().brokers()).hasToString("[a.example:1]");
        assertThat(options.subscriber().token()).isEqualTo("t");
        assertThat(ClientOptions.from(ClientOptions.inEnvironment(Map.of())))
                .hasToString(ClientOptions.from(ConfigFactory.load()).toString());
    }

    @Test
    void shouldUseTlsIfAnAuthorityIsGiven() {
        Map<String, String> variables = Map.of("RBMQ_CA", "/etc/ca.pem");
        assertThat(EnvironmentSettings.from(variables, ConfigFactory.empty()).getString("rocketbufs.tls.ca"))
                .isEqualTo("/etc/ca.pem");
        assertThat(settings(variables, "", "rocketbufs.transport = tcp").transport())
                .isEqualTo("tls");
        assertThat(settings(variables, "rocketbufs.transport = tcp", "").transport())
                .isEqualTo("tcp");
        assertThat(settings(Map.of("RBMQ_CA", ""), "", "").transport()).isEqualTo("auto");
    }
}
