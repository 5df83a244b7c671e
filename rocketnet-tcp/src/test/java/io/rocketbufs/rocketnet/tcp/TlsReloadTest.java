package io.rocketbufs.rocketnet.tcp;

import static io.rocketbufs.contract.TlsFiles.clientCertificate;
import static io.rocketbufs.contract.TlsFiles.trust;
import static io.rocketbufs.rocketnet.tcp.TcpRecordingHandler.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.contract.TlsFiles;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.settings.ReloadedFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of certificates, authorities and lists of revoked certificates that change while a transport is in use. */
@Timeout(600)
@Tag("once")
final class TlsReloadTest {
    @TempDir
    Path folder;

    private String listening;

    @BeforeEach
    void writeFiles() throws IOException {
        write("server.pem", "server.pem");
        write("server.key", "server.key");
        write("ca.pem", "ca.pem");
        write("none.crl", "revoked.crl");
        listening = "rocketbufs.tls { certificate = " + quoted("server.pem") + ", key = " + quoted("server.key")
                + ", client-ca = " + quoted("ca.pem") + ", revoked = " + quoted("revoked.crl") + " }";
    }

    /** Replaces a file in the folder with one of the tests' files. */
    private void write(String source, String target) throws IOException {
        Files.copy(TlsFiles.file(source), folder.resolve(target), StandardCopyOption.REPLACE_EXISTING);
    }

    private String quoted(String name) {
        return "\"" + folder.resolve(name) + "\"";
    }

    /** Returns the setting for a file of revoked certificates. */
    static String revoked(String name) {
        return "rocketbufs.tls.revoked = \"" + TlsFiles.file(name + ".crl") + "\"\n";
    }

    private static List<String> reload(TlsEnds ends) {
        try (ReloadedFiles files = ends.server().reloadFiles()) {
            files.apply();
            return files.changes();
        }
    }

    /** Sends messages until one message has arrived. */
    private static void exchange(TlsEnds ends, int i, TlsEnds.Client client) {
        int count = ends.accepted(i).events().size();
        await().until(() -> client.handler().connection().send(ByteBuffer.wrap(new byte[1])) == PostResult.SENT);
        await().untilAsserted(() -> assertThat(ends.accepted(i).events()).hasSizeGreaterThan(count));
    }

    @Test
    void shouldUseAChangedCertificateForNewConnectionsOnly() throws Exception {
        try (TlsEnds ends = new TlsEnds(listening);
                TlsEnds.Client before = ends.connect(trust("ca"))) {
            exchange(ends, 0, before);
            write("elsewhere.pem", "server.pem");
            write("elsewhere.key", "server.key");
            assertThat(reload(ends))
                    .containsExactly("rocketbufs.tls.certificate: " + folder.resolve("server.pem")
                            + " now contains \"CN=localhost\", valid until 2119-12-31T23:59:59Z, for new connections");
            try (TlsEnds.Client after = ends.connect(trust("ca"))) {
                assertThat(after.handler().awaitFailure()).contains("is for broker.example");
            }
            exchange(ends, 0, before);
            assertThat(reload(ends)).isEmpty();
        }
    }

    @Test
    void shouldChangeNothingUntilTheFilesAreApplied() throws Exception {
        try (TlsEnds ends = new TlsEnds(listening)) {
            write("elsewhere.pem", "server.pem");
            write("elsewhere.key", "server.key");
            ends.server().reloadFiles().close();
            try (TlsEnds.Client after = ends.connect(trust("ca"))) {
                exchange(ends, 0, after);
            }
        }
    }

    @Test
    void shouldSayNothingIfTheFilesMeanTheSame() throws Exception {
        write("server.pem", "server.pem");
        Files.writeString(
                folder.resolve("ca.pem"),
                Files.readString(TlsFiles.file("other-ca.pem")) + Files.readString(TlsFiles.file("ca.pem")));
        try (TlsEnds ends = new TlsEnds(listening, revoked("none"))) {
            Files.writeString(
                    folder.resolve("ca.pem"),
                    "a comment\n" + Files.readString(TlsFiles.file("ca.pem"))
                            + Files.readString(TlsFiles.file("other-ca.pem")));
            assertThat(reload(ends)).isEmpty();
        }
    }

    @Test
    void shouldAcceptTheClientsOfAChangedAuthorityOnly() throws Exception {
        try (TlsEnds ends = new TlsEnds(listening, "rocketbufs.tls.revoked = \"\"");
                TlsEnds.Client before = ends.connect(trust("ca"), clientCertificate("edge1"))) {
            exchange(ends, 0, before);
            write("other-ca.pem", "ca.pem");
            assertThat(reload(ends))
                    .containsExactly("rocketbufs.tls.client-ca: " + folder.resolve("ca.pem")
                            + " now contains \"CN=Another authority, O=RocketBufs tests\", for new connections");
            try (TlsEnds.Client stranger = ends.connect(trust("ca"), clientCertificate("stranger"));
                    TlsEnds.Client refused = ends.connect(trust("ca"), clientCertificate("edge1"))) {
                exchange(ends, 1, stranger);
                assertThat(refused.handler().awaitFailure()).endsWith("does not trust the authority that issued it");
            }
            exchange(ends, 0, before);
        }
    }

    @Test
    void shouldRefuseACertificateThatIsRevokedMeanwhile() throws Exception {
        try (TlsEnds ends = new TlsEnds(listening);
                TlsEnds.Client before = ends.connect(trust("ca"), clientCertificate("edge2"))) {
            exchange(ends, 0, before);
            write("edge2.crl", "revoked.crl");
            assertThat(reload(ends))
                    .containsExactly("rocketbufs.tls.revoked: " + folder.resolve("revoked.crl")
                            + " now contains revoked certificates: 1, for new connections");
            try (TlsEnds.Client revoked = ends.connect(trust("ca"), clientCertificate("edge2"));
                    TlsEnds.Client other = ends.connect(trust("ca"), clientCertificate("edge1"))) {
                assertThat(revoked.handler().awaitFailure()).endsWith("it has been revoked");
                assertThat(ends.accepted(1).awaitFailure())
                        .endsWith("the client's certificate \"CN=edge2, O=Example\" or one of its authorities has been"
                                + " revoked, according to " + folder.resolve("revoked.crl"));
                exchange(ends, 2, other);
            }
            exchange(ends, 0, before);
        }
    }

    @Test
    void shouldRefuseCertificatesIfTheListOfRevokedOnesIsOutdated() throws Exception {
        try (TlsEnds ends = new TlsEnds(listening, revoked("outdated"));
                TlsEnds.Client client = ends.connect(trust("ca"), clientCertificate("edge1"))) {
            assertThat(ends.accepted(0).awaitFailure())
                    .contains("\"CN=edge1, O=Example\" may have been revoked:")
                    .endsWith("outdated.crl contains no current list of an authority that has issued it or its"
                            + " issuer");
            assertThat(client.handler().awaitFailure()).contains("the peer refused the certificate of this side");
        }
    }

    @Test
    void shouldCheckTheCertificateOfAServerForRevocation() throws Exception {
        try (TlsEnds ends = new TlsEnds(listening);
                TlsEnds.Client client = ends.connect(trust("ca"), revoked("edge2"))) {
            exchange(ends, 0, client);
        }
        try (TlsEnds ends = new TlsEnds(listening);
                TlsEnds.Client client = ends.connect(trust("ca"), revoked("outdated"))) {
            assertThat(client.handler().awaitFailure()).contains("\"CN=server\" may have been revoked");
        }
    }

    @Test
    void shouldRefuseABrokenFileAndKeepWhatIsInForce() throws Exception {
        try (TlsEnds ends = new TlsEnds(listening)) {
            write("elsewhere.pem", "server.pem");
            assertRefused(ends, "rocketbufs.tls.key: the private key does not belong to the certificate");
            Files.delete(folder.resolve("server.pem"));
            assertRefused(
                    ends,
                    "rocketbufs.tls.certificate: cannot read " + folder.resolve("server.pem")
                            + ": no such file or directory");
            Files.createDirectory(folder.resolve("server.pem"));
            assertRefused(ends, "rocketbufs.tls.certificate: cannot read " + folder.resolve("server.pem") + ": ");
            Files.delete(folder.resolve("server.pem"));
            write("server.pem", "server.pem");
            Files.writeString(folder.resolve("revoked.crl"), "nothing");
            assertRefused(ends, "rocketbufs.tls.revoked: " + folder.resolve("revoked.crl") + " ");
            write("outdated.crl", "revoked.crl");
            assertRefused(
                    ends,
                    "rocketbufs.tls.revoked: " + folder.resolve("revoked.crl")
                            + " has changed, but became outdated at 2020-01-02T00:00:00Z");
            write("none.crl", "revoked.crl");
            Files.writeString(folder.resolve("ca.pem"), "");
            assertRefused(ends, "rocketbufs.tls.client-ca: " + folder.resolve("ca.pem") + " contains no certificate");
            write("expired.pem", "server.pem");
            write("expired.key", "server.key");
            write("ca.pem", "ca.pem");
            assertRefused(
                    ends,
                    "rocketbufs.tls.certificate: " + folder.resolve("server.pem")
                            + " has changed, but expired at 2020-01-02T00:00:00Z");
            try (TlsEnds.Client client = ends.connect(trust("ca"), clientCertificate("edge1"))) {
                exchange(ends, 0, client);
            }
        }
    }

    private static void assertRefused(TlsEnds ends, String reason) {
        assertThatThrownBy(() -> ends.server().reloadFiles())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(reason);
    }

    @Test
    void shouldReloadOtherFilesWhileTheCertificateInForceHasExpired() throws Exception {
        write("expired.pem", "server.pem");
        write("expired.key", "server.key");
        try (TlsEnds ends = new TlsEnds(listening)) {
            assertThat(ends.server().certificateEnd()).isEqualTo(Instant.parse("2020-01-02T00:00:00Z"));
            write("edge2.crl", "revoked.crl");
            assertThat(reload(ends)).hasSize(1);
            write("server.pem", "server.pem");
            write("server.key", "server.key");
            assertThat(reload(ends)).hasSize(1);
            assertThat(ends.server().certificateEnd()).isEqualTo(Instant.parse("2119-12-31T23:59:59Z"));
        }
    }

    @Test
    void shouldServeAConnectionThatIsAcceptedBeforeAReplacementAndEstablishedAfterIt() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        try (TlsEnds ends = new TlsEnds(listening);
                TlsEnds.Client first = ends.connect(trust("ca"))) {
            exchange(ends, 0, first);
            ends.accepted(0).connection().worker().execute(() -> TlsEnds.hold(held));
            try (TlsEnds.Client second = ends.connect(trust("ca"));
                    TlsEnds.Client third = ends.connect(trust("ca"));
                    TlsEnds.Client fourth = ends.connect(trust("ca"))) {
                exchange(ends, 1, second);
                // The third connection waits for the blocked worker. The fourth connection shows that the third has
                // been accepted.
                exchange(ends, 2, fourth);
                write("edge2.crl", "revoked.crl");
                assertThat(reload(ends)).hasSize(1);
                held.countDown();
                exchange(ends, 3, third);
            }
        } finally {
            held.countDown();
        }
    }

    @Test
    void shouldNeedAuthoritiesForAListOfRevokedCertificates() {
        assertThatThrownBy(() -> new TlsEnds(TlsFiles.certificate("server"), revoked("none")))
                .hasMessageContaining("rocketbufs.tls.revoked: needs the authorities whose certificates it revokes: set"
                        + " rocketbufs.tls.client-ca or rocketbufs.tls.ca");
    }
}
