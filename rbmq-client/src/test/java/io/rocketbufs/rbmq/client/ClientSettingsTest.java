package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.settings.SettingsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ClientSettingsTest {
    private static Config with(String text) {
        return ConfigFactory.parseString(text)
                .withFallback(ConfigFactory.parseResources("reference.conf"))
                .resolve();
    }

    @Test
    void shouldConnectPublishersAndSubscribersOverDifferentTransports() {
        Config config = with("rbmq { subscriber.transport = rdma,"
                + " listeners = [{transport = tcp, port = 1}, {transport = rdma, address = 127.0.0.2}] }");
        ClientSettings publisher = ClientSettings.publisher(config);
        assertThat(publisher.transport()).isEqualTo("tcp");
        assertThat(publisher.port()).isEqualTo(1);
        ClientSettings subscriber = ClientSettings.subscriber(config);
        assertThat(subscriber.transport()).isEqualTo("rdma");
        assertThat(subscriber.host()).isEqualTo("127.0.0.2");
        assertThat(subscriber.port()).isEqualTo(7612);
        assertThat(ClientSettings.publisher(with("rocketbufs.transport = rdma")).transport())
                .isEqualTo("rdma");
    }

    @Test
    void shouldConnectClientsToTheConfiguredListener() {
        ClientSettings client = ClientSettings.from(with("rbmq { address = 0.0.0.0, port = 99 }"));
        assertThat(client.host()).isEqualTo("127.0.0.1");
        assertThat(client.port()).isEqualTo(99);
    }

    @Test
    void shouldPreferTheConfiguredBroker() {
        ClientSettings client = ClientSettings.from(with("rbmq.client.broker = \"far.example:1\""));
        assertThat(client.host()).isEqualTo("far.example");
        assertThat(client.port()).isEqualTo(1);
    }

    @Test
    void shouldReadTheIpv6AddressOfTheBrokerInBrackets() {
        ClientSettings client = ClientSettings.from(with("rbmq.client.broker = \"[::1]:7610\""));
        assertThat(client.host()).isEqualTo("::1");
        assertThat(client.port()).isEqualTo(7610);
    }

    @Test
    void shouldNotRequireADefaultPortWhenTheBrokerIsConfigured() {
        Config config = with("rbmq { publisher.transport = pigeon, client.broker = \"far.example:1\" }");
        assertThat(ClientSettings.publisher(config).transport()).isEqualTo("pigeon");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rbmq.client.broker = nowhere",
                "rbmq.client.broker = \"far.example:70000\"",
                "rbmq.client.broker = \"far.example:0\"",
                "rbmq.client.broker = \"::1:7610\"",
                "rbmq.subscriber.slow-policy = wait",
                "rbmq.publisher.capacity = 1"
            })
    void shouldNameTheInvalidKey(String wrong) {
        assertThatThrownBy(() -> ClientSettings.from(with(wrong)))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(wrong.substring(0, wrong.indexOf(' ')));
    }
}
