package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import io.rocketbufs.rbmq.broker.BrokerSettings;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.settings.SettingsException;
import io.rocketbufs.text.ClientName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class RbmqConfigurationTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "rocketbufs.transport=rdma",
                "rocketbufs.rdma.provider=sockets",
                "rbmq.port=0",
                "rbmq.admin.port=0",
                "rbmq.default-ports.pigeon=7613"
            })
    void shouldAcceptEveryKeyThatScriptsSet(String set) {
        int equals = set.indexOf('=');
        assertThat(load(set).getString(set.substring(0, equals))).isEqualTo(set.substring(equals + 1));
    }

    @Test
    void shouldSuggestTheKeyOfATransport() {
        assertThatThrownBy(() -> load("rocketbufs.rdma.provder=tcp"))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("did you mean rocketbufs.rdma.provider?");
    }

    @Test
    void shouldSuggestAKeyOfRbmq() {
        assertThatThrownBy(() -> load("rbmq.prot=1"))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("did you mean rbmq.port?");
    }

    @Test
    void shouldNotAskAClientForWhatOnlyABrokerNeeds() {
        Config loaded = load("rbmq.address=10.0.0.1");
        assertThat(ClientSettings.publisher(loaded).brokers()).hasToString("[10.0.0.1:7610]");
        assertThat(ClientSettings.subscriber(loaded).brokers()).hasToString("[10.0.0.1:7610]");
        assertThatThrownBy(() -> BrokerSettings.from(loaded)).hasMessageContaining("set rbmq.credentials");
    }

    @Test
    void shouldNameAClientAfterTheCommandUnlessItHasAName() {
        assertThat(clientName()).isEqualTo(ClientName.of("rbmq")).contains("/rbmq[");
        assertThat(clientName("--set", "rbmq.client.name=desk")).isEqualTo("desk");
        assertThatThrownBy(() -> clientName("--set", "rbmq.client.name=[]"))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("rbmq.client.name: cannot be read: expected a string");
    }

    private static String clientName(String... options) {
        Config loaded = CommandLine.populateCommand(
                        RbmqConfiguration.clientOptions(new TokenOption(), new TlsOptions()), options)
                .load();
        return ClientSettings.publisher(loaded).name();
    }

    private static Config load(String set) {
        return CommandLine.populateCommand(RbmqConfiguration.options(), "--set", set)
                .load();
    }
}
