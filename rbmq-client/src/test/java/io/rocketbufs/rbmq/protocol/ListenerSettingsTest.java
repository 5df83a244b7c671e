package io.rocketbufs.rbmq.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.ListenerSettings;
import io.rocketbufs.settings.SettingsException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ListenerSettingsTest {
    private static List<ListenerSettings> with(String text) {
        return ListenerSettings.from(config(text), "rbmq");
    }

    private static Config config(String text) {
        return ConfigFactory.parseString(text)
                .withFallback(ConfigFactory.parseResources("reference.conf"))
                .resolve();
    }

    @Test
    void shouldListenAtTheDefaultPortOfTheTransport() {
        assertThat(with("")).containsExactly(new ListenerSettings("tcp", "127.0.0.1", 7610));
        assertThat(with("rocketbufs.transport = rdma"))
                .containsExactly(new ListenerSettings("rdma", "127.0.0.1", 7612));
        assertThat(with("rocketbufs.transport = pigeon, rbmq.default-ports.pigeon = 7613"))
                .containsExactly(new ListenerSettings("pigeon", "127.0.0.1", 7613));
    }

    @Test
    void shouldNameATransportWithoutAPort() {
        assertThatThrownBy(() -> with("rocketbufs.transport = pigeon"))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("rbmq.default-ports", "\"pigeon\"");
    }

    @Test
    void shouldListenAtSeveralAddresses() {
        assertThat(with("rbmq.listeners = [{transport = tcp, address = 127.0.0.1, port = 1},"
                        + " {transport = rdma, address = 127.0.0.2}]"))
                .containsExactly(
                        new ListenerSettings("tcp", "127.0.0.1", 1), new ListenerSettings("rdma", "127.0.0.2", 7612));
    }

    @Test
    void shouldListenAtTheCommonAddressWhenAListenerHasNone() {
        assertThat(with("rbmq { address = 127.0.0.3, listeners = [{transport = tcp}, {transport = rdma, port = 2}] }"))
                .containsExactly(
                        new ListenerSettings("tcp", "127.0.0.3", 7610), new ListenerSettings("rdma", "127.0.0.3", 2));
    }

    @Test
    void shouldDirectClientsToTheListenerOfTheirTransport() {
        Config two = config("rbmq.listeners = [{transport = tcp, port = 1}, {transport = rdma, address = 127.0.0.2}]");
        assertThat(ListenerSettings.reachedOver("tcp", two, "rbmq"))
                .isEqualTo(new ListenerSettings("tcp", "127.0.0.1", 1));
        assertThat(ListenerSettings.reachedOver("rdma", two, "rbmq"))
                .isEqualTo(new ListenerSettings("rdma", "127.0.0.2", 7612));
        assertThat(ListenerSettings.reachedOver("rdma", config("rbmq.address = 127.0.0.3"), "rbmq"))
                .isEqualTo(new ListenerSettings("rdma", "127.0.0.3", 7612));
    }

    @Test
    void shouldDirectClientsToLoopbackForAWildcardAddress() {
        assertThat(ListenerSettings.reachedOver("tcp", config("rbmq.address = 0.0.0.0"), "rbmq")
                        .host())
                .isEqualTo("127.0.0.1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rbmq.port = 70000", "rbmq.listeners = [{transport = tcp, adress = 127.0.0.1}]"})
    void shouldNameTheInvalidKey(String wrong) {
        assertThatThrownBy(() -> with(wrong))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(wrong.substring(5, wrong.indexOf(' ')).replace("listeners", "adress"));
    }
}
