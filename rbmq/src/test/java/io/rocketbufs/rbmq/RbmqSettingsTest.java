package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.settings.SettingsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RbmqSettingsTest {
    private static RbmqSettings with(String text) {
        Config given = ConfigFactory.parseString(text);
        return RbmqSettings.from(given.withFallback(ConfigFactory.parseResources("reference.conf"))
                .resolve());
    }

    @Test
    void shouldListenAtTheDefaultPortOfTheTransport() {
        assertThat(with("").broker().listeners()).containsExactly(new ListenerSettings("tcp", "127.0.0.1", 7610));
        assertThat(with("").broker().admin().port()).isEqualTo(7611);
        assertThat(with("rocketbufs.transport = rdma").broker().listeners())
                .containsExactly(new ListenerSettings("rdma", "127.0.0.1", 7612));
        assertThat(with("rocketbufs.transport = pigeon, rbmq.default-ports.pigeon = 7613")
                        .broker()
                        .listeners())
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
                                + " {transport = rdma, address = 127.0.0.2}]")
                        .broker()
                        .listeners())
                .containsExactly(
                        new ListenerSettings("tcp", "127.0.0.1", 1), new ListenerSettings("rdma", "127.0.0.2", 7612));
    }

    @Test
    void shouldListenAtTheCommonAddressWhereAListenerNamesNone() {
        assertThat(with("rbmq { address = 127.0.0.3, listeners = [{transport = tcp}, {transport = rdma, port = 2}] }")
                        .broker()
                        .listeners())
                .containsExactly(
                        new ListenerSettings("tcp", "127.0.0.3", 7610), new ListenerSettings("rdma", "127.0.0.3", 2));
    }

    @Test
    void shouldLetPublishersAndSubscribersComeOverTheirOwnTransports() {
        RbmqSettings settings = with("rbmq { subscriber.transport = rdma,"
                + " listeners = [{transport = tcp, port = 1}, {transport = rdma, address = 127.0.0.2}] }");
        assertThat(settings.publisher().transport()).isEqualTo("tcp");
        assertThat(settings.publisher().port()).isEqualTo(1);
        assertThat(settings.subscriber().transport()).isEqualTo("rdma");
        assertThat(settings.subscriber().host()).isEqualTo("127.0.0.2");
        assertThat(settings.subscriber().port()).isEqualTo(7612);
        assertThat(with("rocketbufs.transport = rdma").publisher().transport()).isEqualTo("rdma");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rbmq.address = 0.0.0.0",
                "rbmq.admin.address = 0.0.0.0",
                "rbmq.listeners = [{transport = tcp, address = 0.0.0.0}]"
            })
    void shouldWantCredentialsOrAWordWhereOthersCanConnect(String exposed) {
        assertThatThrownBy(() -> with(exposed))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("needs rbmq.credentials");
        assertThat(with(exposed + "\nrbmq.insecure = true").broker().insecure()).isTrue();
        assertThat(with(exposed + "\nrbmq.credentials = [secret]").broker().credentials())
                .containsExactly("secret");
    }

    @Test
    void shouldSendClientsToTheBrokersOwnListener() {
        ClientSettings client =
                with("rbmq { address = 0.0.0.0, insecure = true, port = 99 }").client();
        assertThat(client.host()).isEqualTo("127.0.0.1");
        assertThat(client.port()).isEqualTo(99);
        assertThat(with("rbmq.client.broker = \"far.example:1\"").client().host())
                .isEqualTo("far.example");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rbmq.port = 70000",
                "rbmq.broker.lag-timeout = 0",
                "rbmq.broker.slow-policy = wait",
                "rbmq.client.broker = nowhere",
                "rbmq.credentials = [\"\"]",
                "rbmq.listeners = [{transport = tcp, adress = 127.0.0.1}]"
            })
    void shouldNameWhatIsWrong(String wrong) {
        assertThatThrownBy(() -> with(wrong))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(wrong.substring(5, wrong.indexOf(' ')).replace("listeners", "adress"));
    }
}
