package io.rocketbufs.rbmq;

import static io.rocketbufs.contract.TlsFiles.certificate;
import static io.rocketbufs.contract.TlsFiles.clientAuthority;
import static io.rocketbufs.contract.TlsFiles.clientCertificate;
import static io.rocketbufs.contract.TlsFiles.trust;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import io.rocketbufs.AutomaticTransports;
import io.rocketbufs.ListenerSettings;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.contract.TlsFiles;
import io.rocketbufs.rbmq.broker.BrokerSettings;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.settings.SettingsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of clients whose transport is {@code auto} and whose configuration requires encryption. */
@Tag("once")
@Timeout(600)
final class AutomaticTlsSystemTest {
    private static final String USERS =
            "rbmq.users = [{ name = edge1, certificate = \"CN=edge1,O=Example\", publish = [\"edge/1/#\"] },"
                    + " { name = feed, token = feed-token, publish = [\"#\"] }]";

    @TempDir
    private Path directory;

    @TempDir
    private Path another;

    private RunningBroker running;

    @AfterEach
    void close() {
        if (running != null) {
            running.close();
        }
    }

    private void start(String... settings) {
        running = new RunningBroker(withTls(directory, settings));
    }

    private static String[] withTls(Path shm, String... settings) {
        List<String> all = new ArrayList<>(List.of(
                "rocketbufs.transport = auto",
                "rocketbufs.shm.directory = \"" + shm + "\"",
                certificate("server"),
                clientAuthority("ca"),
                trust("ca"),
                USERS));
        all.addAll(List.of(settings));
        return all.toArray(String[]::new);
    }

    private Publisher publisher(Path shm, String token, String... settings) {
        Config config = RunningBroker.config(withTls(shm, settings));
        RocketBufs rocketBufs = running.opened(RocketBufs.open(config));
        ClientSettings client =
                ClientSettings.publisher(config).withBroker(running.address()).withToken(token);
        return running.opened(Publisher.connect(rocketBufs, client));
    }

    @Test
    void shouldListenAndConnectWithTlsIfThereIsACertificate() {
        start();
        assertThat(running.broker().state().listeners()).hasSize(2);
        assertThat(running.broker().state().listeners().get(0)).startsWith("tls ");
        assertThat(publisher(another, "feed-token").transport().name()).isEqualTo("tls");
    }

    @Test
    void shouldMoveToSharedMemoryWhichNobodyElseCanRead() {
        start();
        assertThat(publisher(directory, "feed-token").transport().toString()).isEqualTo("shm");
    }

    @Test
    void shouldKeepTheConnectionThatCarriesTheCertificate() throws Exception {
        start();
        Publisher edge1 = publisher(directory, "", clientCertificate("edge1"));
        assertThat(edge1.transport().toString()).isEqualTo("tls");
        edge1.topic("edge/1/state").announced().get();
        assertThat(publisher(directory, "feed-token", clientCertificate("edge1"))
                        .transport()
                        .toString())
                .isEqualTo("shm");
    }

    @Test
    void shouldNeverMoveFromTlsToATransportThatSendsUnencrypted() {
        TransportPair.assumeRdma();
        start(
                "rocketbufs.rdma.provider = tcp",
                "rbmq.listeners = [{ transport = tls, port = 0 }, { transport = rdma, port = 0 },"
                        + " { transport = tcp, port = 0 }]");
        Publisher publisher = publisher(directory, "feed-token", "rocketbufs.rdma.provider = tcp");
        assertThat(publisher.transport().toString()).isEqualTo("tls");
    }

    private static BrokerSettings required(Path shm, String... settings) {
        List<String> all = new ArrayList<>(List.of("rbmq.tls.require = on", "rbmq.address = 0.0.0.0"));
        all.addAll(List.of(settings));
        return BrokerSettings.from(RunningBroker.config(withTls(shm, all.toArray(String[]::new))));
    }

    @Test
    void shouldAllowSharedMemoryWhereEncryptionIsRequired() {
        assertThat(required(directory).listeners())
                .extracting(ListenerSettings::transport)
                .containsExactly("tls", "shm");
        assertThat(required(directory, "rocketbufs.transport = shm").listeners())
                .hasSize(1);
        assertThatThrownBy(() -> required(directory, "rbmq.listeners = [{ transport = auto }, { transport = rdma }]"))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("transport \"rdma\" does not encrypt, but rbmq.tls.require is on");
    }

    @Test
    void shouldDemandACertificateOfABrokerWhoseConfigurationAsksForTls() {
        Config config = RunningBroker.config("rocketbufs.transport = auto", trust("ca"));
        assertThatThrownBy(() -> BrokerSettings.from(config))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(
                        "\"tls\", which auto selects because of rocketbufs.tls, needs a certificate to listen");
    }

    @Test
    void shouldDemandACertificateForTheListenerThatNamesTls() {
        Config config = RunningBroker.config("rbmq.listeners = [{ transport = auto }, { transport = tls }]");
        assertThatThrownBy(() -> BrokerSettings.from(config))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("\"tls\" needs a certificate to listen");
    }

    @Test
    void shouldNotSelectTlsBecauseOfTheFilesOfTheAdminInterface() {
        Config config = RunningBroker.config(
                "rocketbufs.transport = auto",
                "rbmq.admin.tls { enabled = on, certificate = \"" + TlsFiles.file("server.pem") + "\"",
                "key = \"" + TlsFiles.file("server.key") + "\", ca = \"" + TlsFiles.file("ca.pem") + "\" }");
        assertThat(BrokerSettings.from(config).listeners())
                .extracting(ListenerSettings::transport)
                .containsExactly("tcp", "shm");
        assertThat(new AutomaticTransports(config).first()).isEqualTo("tcp");
    }
}
