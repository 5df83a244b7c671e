package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.contract.TlsFiles;
import io.rocketbufs.settings.SettingsException;
import java.lang.reflect.RecordComponent;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class BrokerSettingsTest {
    private static BrokerSettings with(String text) {
        Config given = ConfigFactory.parseString(text);
        return BrokerSettings.from(given.withFallback(ConfigFactory.parseResources("reference.conf"))
                .resolve());
    }

    @Test
    void shouldHaveAnAdminInterfaceByDefault() {
        assertThat(with("").admin()).isEqualTo(new AdminSettings(true, "127.0.0.1", 7611, List.of(), null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rbmq.address = 0.0.0.0",
                "rbmq.admin.address = 0.0.0.0",
                "rbmq.listeners = [{transport = tcp, address = 0.0.0.0}]"
            })
    void shouldRequireCredentialsOrAnExplicitSettingAtExposedAddresses(String exposed) {
        assertThatThrownBy(() -> with(exposed))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("set rbmq.credentials");
        assertThat(with(exposed + "\nrbmq.insecure = true").access().insecure()).isTrue();
        assertThat(with(exposed + "\nrbmq.credentials = [secret]").access().users())
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rbmq.port = 70000",
                "rbmq.admin.port = 70000",
                "rbmq.broker.lag-timeout = 0",
                "rbmq.broker.block-timeout = -1 s",
                "rbmq.broker.slow-policy = wait",
                "rbmq.broker.topics-per-filter = 0",
                "rbmq.limits.subscriptions-per-connection = 0",
                "rbmq.limits.topics-per-connection = 0",
                "rbmq.credentials = [\"\"]",
                "rbmq.credentials = [\"a\\nb\"]",
                "rbmq.anonymous.publish = none",
                "rbmq.anonymous.subscribe = [\"a/#/b\"]"
            })
    void shouldNameTheInvalidKey(String wrong) {
        assertThatThrownBy(() -> with(wrong))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(wrong.substring(0, wrong.indexOf(' ')));
    }

    @Test
    void shouldShowAllValuesExceptForTheCredentials() {
        BrokerSettings settings = with("rbmq.credentials = [s3cret, t0ken]");
        assertThat(settings).asString().contains("credentials=(2)").doesNotContain("s3cret", "t0ken");
        for (RecordComponent component : BrokerSettings.class.getRecordComponents()) {
            assertThat(settings).asString().contains(component.getName() + "=");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rbmq.listeners = [{ transport = tls, address = 0.0.0.0 }, { transport = tcp }],"
                        + " rocketbufs.tls.certificate = x",
                "rbmq.listeners = [{ transport = rdma, address = 0.0.0.0 }], rbmq.tls.except = [rdma]",
                "rbmq.admin.address = 0.0.0.0, rbmq.tls.except = [admin]",
                "rbmq.admin { address = 0.0.0.0, enabled = on, tls.enabled = on }, rocketbufs.tls { certificate = "
                        + "\"SERVER.pem\", key = \"SERVER.key\" }"
            })
    void shouldAcceptUnencryptedListenersOnLoopbackOrOnRequest(String settings) {
        String files = settings.replace(
                        "SERVER.pem", TlsFiles.file("server.pem").toString())
                .replace("SERVER.key", TlsFiles.file("server.key").toString());
        assertThat(with("rbmq.tls.require = on, rbmq.credentials = [x], " + files))
                .isNotNull();
    }

    @ParameterizedTest
    @CsvSource({
        "'rbmq.listeners = [{ transport = tcp }, { transport = tls }]', 'rbmq.listeners[1].transport: '",
        "rocketbufs.transport = tls, 'rocketbufs.transport: '"
    })
    void shouldNameAListenerWithTlsIfThereIsNoCertificate(String settings, String place) {
        assertThatThrownBy(() -> with(settings))
                .isInstanceOf(SettingsException.class)
                .hasMessageStartingWith("String: 1: " + place)
                .hasMessageEndingWith("\"tls\" needs a certificate to listen: set rocketbufs.tls.certificate and"
                        + " rocketbufs.tls.key");
        assertThat(with(settings + "\nrocketbufs.tls.certificate = x")).isNotNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rbmq.admin.tls.enabled = on | rbmq.admin.tls.enabled: is on, but there is no certificate",
                "rbmq.admin.tls { enabled = on, key = x } | rbmq.admin.tls.certificate: the certificate and the key",
                "rbmq.admin.tls { enabled = on, key = /x, certificate = /x } | rbmq.admin.tls.certificate: cannot read",
            })
    void shouldNameAnAdminInterfaceWithTlsWhoseCertificateCannotBeUsed(String settings, String message) {
        assertThatThrownBy(() -> with(settings))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rocketbufs.transport = tcp | no listener has transport = tls, so it is never recognized",
                "rocketbufs.transport = tls | rocketbufs.tls.client-ca is not set, so listeners do not ask for"
                        + " certificates, and it is never recognized"
            })
    void shouldWarnOfACertificateThatIsNeverRecognized(String transport, String reason) {
        String user =
                transport + "\nrocketbufs.tls.certificate = x\nrbmq.users = [{ name = u, certificate = \"CN=u\" }]";
        assertThat(with(user).warnings()).containsExactly("rbmq.users: user \"u\" has a certificate, but " + reason);
        assertThat(with(user + "\nrocketbufs.transport = tls, rocketbufs.tls.client-ca = x")
                        .warnings())
                .isEmpty();
    }

    @Test
    void shouldWarnOfAnAdministratorWithACertificate() {
        String settings = "rocketbufs.transport = tls, rocketbufs.tls.certificate = x, rocketbufs.tls.client-ca = x, "
                + "rbmq.users = [{ name = u, certificate = \"CN=u\", admin = %s }]";
        assertThat(with(settings.formatted("true")).warnings())
                .containsExactly("rbmq.users: user \"u\" has admin = true, which has no effect: the admin interface"
                        + " recognizes tokens only");
        assertThat(with(settings.formatted("false")).warnings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "'rbmq.address = 0.0.0.0',"
                + " 'rbmq.address: \"0.0.0.0\" is not a loopback address, and transport \"tcp\" does not encrypt'",
        "'rbmq.listeners = [{ transport = tls }, { transport = rdma, address = 0.0.0.0 }]',"
                + " 'add \"rdma\" to rbmq.tls.except to send its messages unencrypted'",
        "'rbmq.admin.address = 0.0.0.0',"
                + " 'rbmq.admin.address: \"0.0.0.0\" is not a loopback address,"
                + " and the admin interface does not encrypt'"
    })
    void shouldRefuseUnencryptedListenersIfTlsIsRequired(String settings, String message) {
        assertThatThrownBy(() -> with("rbmq.tls.require = on, rbmq.credentials = [x], " + settings))
                .hasMessageContaining(message);
    }
}
