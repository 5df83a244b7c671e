package io.rocketbufs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.settings.SettingsException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ListenerSettingsTest {
    private static final String ROOT = "server";
    private static final String DEFAULTS = "server { address = 127.0.0.1, port = auto, listeners = [],"
            + " default-ports { tcp = 7610, rdma = 7612 } }";

    private static List<ListenerSettings> with(String text) {
        return ListenerSettings.from(config(text), ROOT);
    }

    private static Config config(String text) {
        return ConfigFactory.parseString(text)
                .withFallback(ConfigFactory.parseString(DEFAULTS))
                .withFallback(ConfigFactory.parseResources("reference.conf"))
                .resolve();
    }

    @Test
    void shouldListenAtTheDefaultPortOfTheTransport() {
        assertThat(with("")).containsExactly(new ListenerSettings("tcp", "127.0.0.1", 7610));
        assertThat(with("rocketbufs.transport = rdma"))
                .containsExactly(new ListenerSettings("rdma", "127.0.0.1", 7612));
        assertThat(with("rocketbufs.transport = pigeon, server.default-ports.pigeon = 7613"))
                .containsExactly(new ListenerSettings("pigeon", "127.0.0.1", 7613));
    }

    @Test
    void shouldNameATransportWithoutAPort() {
        assertThatThrownBy(() -> with("rocketbufs.transport = pigeon"))
                .isInstanceOf(SettingsException.class)
                .hasMessageContainingAll("server.default-ports", "\"pigeon\"");
    }

    @Test
    void shouldListenAtSeveralAddresses() {
        assertThat(with("server.listeners = [{transport = tcp, address = 127.0.0.1, port = 1},"
                        + " {transport = rdma, address = 127.0.0.2}]"))
                .containsExactly(
                        new ListenerSettings("tcp", "127.0.0.1", 1), new ListenerSettings("rdma", "127.0.0.2", 7612));
    }

    @Test
    void shouldListenAtTheCommonAddressWhenAListenerHasNone() {
        assertThat(with("server { address = 127.0.0.3,"
                        + " listeners = [{transport = tcp}, {transport = rdma, port = 2}] }"))
                .containsExactly(
                        new ListenerSettings("tcp", "127.0.0.3", 7610), new ListenerSettings("rdma", "127.0.0.3", 2));
    }

    @Test
    void shouldDirectClientsToTheListenerOfTheirTransport() {
        Config two =
                config("server.listeners = [{transport = tcp, port = 1}, {transport = rdma, address = 127.0.0.2}]");
        assertThat(ListenerSettings.reachedOver("tcp", two, ROOT))
                .isEqualTo(new ListenerSettings("tcp", "127.0.0.1", 1));
        assertThat(ListenerSettings.reachedOver("rdma", two, ROOT))
                .isEqualTo(new ListenerSettings("rdma", "127.0.0.2", 7612));
        assertThat(ListenerSettings.reachedOver("rdma", config("server.address = 127.0.0.3"), ROOT))
                .isEqualTo(new ListenerSettings("rdma", "127.0.0.3", 7612));
    }

    @Test
    void shouldDirectClientsToLoopbackForAWildcardAddress() {
        assertThat(ListenerSettings.reachedOver("tcp", config("server.address = 0.0.0.0"), ROOT)
                        .host())
                .isEqualTo("127.0.0.1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"server.port = 70000", "server.listeners = [{transport = tcp, adress = 127.0.0.1}]"})
    void shouldNameTheInvalidKey(String wrong) {
        assertThatThrownBy(() -> with(wrong))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(wrong.contains("adress") ? "adress" : "port");
    }
}
