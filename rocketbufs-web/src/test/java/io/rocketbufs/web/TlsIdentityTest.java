package io.rocketbufs.web;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.ReferenceCountUtil;
import io.rocketbufs.contract.TlsFiles;
import io.rocketbufs.settings.ReloadedFiles;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
final class TlsIdentityTest {
    @TempDir
    Path directory;

    @Test
    void shouldCreateACertificateForThisMachineOnce() throws Exception {
        TlsSettings settings = new TlsSettings(null, null, directory.resolve("new"));
        Path file = TlsIdentity.load(settings).certificate();
        byte[] made = Files.readAllBytes(file);

        X509Certificate certificate;
        try (InputStream in = Files.newInputStream(file)) {
            certificate =
                    (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
        certificate.verify(certificate.getPublicKey());
        certificate.checkValidity();
        assertThat(certificate.getSubjectAlternativeNames().stream()
                        .map(name -> name.get(1).toString())
                        .collect(Collectors.toList()))
                .isEqualTo(List.of("localhost", "127.0.0.1", "0:0:0:0:0:0:0:1"));
        assertThat(certificate.getBasicConstraints()).isGreaterThanOrEqualTo(0);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.resolveSibling("key.pem"))))
                .isEqualTo("rw-------");
        TlsIdentity.load(settings);
        assertThat(Files.readAllBytes(file)).isEqualTo(made);
    }

    private TlsIdentity identity(String name) throws Exception {
        write(name);
        return TlsIdentity.load(
                new TlsSettings(directory.resolve("cert.pem"), directory.resolve("key.pem"), directory));
    }

    private void write(String name) throws Exception {
        Files.copy(TlsFiles.file(name + ".pem"), directory.resolve("cert.pem"), StandardCopyOption.REPLACE_EXISTING);
        Files.copy(TlsFiles.file(name + ".key"), directory.resolve("key.pem"), StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void shouldUseARenewedCertificateForNewConnectionsOnly() throws Exception {
        TlsIdentity identity = identity("server");
        try (PageServer server = PageServer.open(
                        "pages",
                        new InetSocketAddress("127.0.0.1", 0),
                        "a.port",
                        identity,
                        asked -> CompletableFuture.completedFuture(Page.text(200, "served")));
                SSLSocket before = connect(server)) {
            assertThat(subject(before)).isEqualTo("CN=server");
            try (ReloadedFiles unchanged = identity.reload("key")) {
                assertThat(unchanged.changes()).isEmpty();
            }
            write("elsewhere");
            try (ReloadedFiles changed = identity.reload("key")) {
                assertThat(changed.changes())
                        .containsExactly("key: " + directory.resolve("cert.pem")
                                + " now contains \"CN=localhost\", valid until 2119-12-31T23:59:59Z, for new"
                                + " connections");
                try (SSLSocket between = connect(server)) {
                    assertThat(subject(between)).isEqualTo("CN=server");
                }
                changed.apply();
            }
            try (SSLSocket after = connect(server)) {
                assertThat(subject(after)).isEqualTo("CN=localhost");
            }
            before.getOutputStream().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII));
            assertThat(new String(before.getInputStream().readNBytes(15), US_ASCII))
                    .isEqualTo("HTTP/1.1 200 OK");
        }
    }

    @Test
    void shouldReleaseAContextWithTheLastConnectionThatUsesIt() throws Exception {
        SslContext former;
        SslContext renewed;
        EmbeddedChannel connection = new EmbeddedChannel();
        try (TlsIdentity identity = identity("server")) {
            former = identity.context();
            identity.secure(connection.pipeline());
            write("elsewhere");
            try (ReloadedFiles changed = identity.reload("key")) {
                changed.apply();
            }
            renewed = identity.context();
            assertThat(renewed).isNotSameAs(former);
            assertThat(ReferenceCountUtil.refCnt(former)).isPositive();
            connection.finishAndReleaseAll();
            assertThat(ReferenceCountUtil.refCnt(former)).isZero();
            assertThat(ReferenceCountUtil.refCnt(renewed)).isPositive();
        }
        assertThat(ReferenceCountUtil.refCnt(renewed)).isZero();
    }

    @Test
    void shouldReleaseAContextThatIsReadButNeverInForce() throws Exception {
        try (TlsIdentity identity = identity("server")) {
            SslContext kept = identity.context();
            write("elsewhere");
            identity.reload("key").close();
            assertThat(identity.context()).isSameAs(kept);
            assertThat(ReferenceCountUtil.refCnt(kept)).isEqualTo(1);
            double end = Instant.now().getEpochSecond() + identity.expirySeconds();
            assertThat(end).isCloseTo(Instant.parse("2119-12-31T23:59:59Z").getEpochSecond(), within(60.0));
        }
    }

    @Test
    void shouldRefuseARenewedCertificateThatCannotBeUsed() throws Exception {
        TlsIdentity identity = identity("server");
        write("expired");
        assertThatThrownBy(() -> identity.reload("key"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("key: " + directory.resolve("cert.pem")
                        + " has changed, but expired at 2020-01-02T00:00:00Z; replace it with a current one");
        Files.copy(TlsFiles.file("server.pem"), directory.resolve("cert.pem"), StandardCopyOption.REPLACE_EXISTING);
        assertThatThrownBy(() -> identity.reload("key"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("the private key does not belong to the certificate");
        Files.delete(directory.resolve("key.pem"));
        assertThatThrownBy(() -> identity.reload("key"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("key.pem");
    }

    /** Connects without checking the certificate. */
    private static SSLSocket connect(PageServer server) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
        SSLSocket socket = (SSLSocket) context.getSocketFactory()
                .createSocket("127.0.0.1", server.address().getPort());
        socket.startHandshake();
        return socket;
    }

    private static String subject(SSLSocket socket) throws Exception {
        return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
                .getSubjectX500Principal()
                .toString();
    }

    @Test
    void shouldNameFilesThatAreNotACertificateWithItsKey() throws Exception {
        Path certificate = Files.writeString(directory.resolve("a.pem"), "no");
        Path key = Files.writeString(directory.resolve("b.pem"), "no");

        assertThatThrownBy(() -> TlsIdentity.load(new TlsSettings(certificate, key, directory)))
                .hasMessageContaining("a.pem")
                .hasMessageContaining("b.pem");
    }
}
