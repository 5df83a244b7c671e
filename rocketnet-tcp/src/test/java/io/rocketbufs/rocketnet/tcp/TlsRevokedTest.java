package io.rocketbufs.rocketnet.tcp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.OpenSsl;
import io.rocketbufs.contract.TlsFiles;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of checking certificates against lists of revoked certificates, and against a file of authorities that contains
 * revoked certificates.
 */
@Timeout(600)
@Tag("once")
final class TlsRevokedTest {
    private static final int SEQUENCE = 0x30;
    private static final int BIT_STRING = 0x03;
    private static final int TWO_BYTES = 0x82;

    @TempDir
    Path folder;

    @BeforeAll
    static void loadBoringSsl() {
        OpenSsl.ensureAvailability();
    }

    @Test
    void shouldFetchNoListWhenTheListInTheFileIsOutdated() throws Exception {
        try (ServerSocketChannel point = ServerSocketChannel.open()) {
            point.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
            point.configureBlocking(false);
            int port = ((InetSocketAddress) point.getLocalAddress()).getPort();
            X509Certificate certificate = withDistributionPoint(port);
            assertThat(check(certificate, TlsFiles.file("ca.pem"), "none").reason())
                    .isNull();
            assertThat(check(certificate, TlsFiles.file("ca.pem"), "outdated").reason())
                    .contains("\"CN=edge3, O=Example\" may have been revoked: ")
                    .contains("contains no current list");
            assertThat(point.accept()).isNull();
        }
    }

    @Test
    void shouldRefuseARevokedCertificateThatIsInTheFileOfAuthorities() throws Exception {
        X509Certificate certificate = certificate("edge2");
        Path authorities = authorities("edge2");
        assertThat(check(certificate, authorities, "none").reason()).isNull();
        assertThat(check(certificate, authorities, "edge2").reason())
                .contains("\"CN=edge2, O=Example\" or one of its authorities has been revoked");
    }

    @Test
    void shouldRefuseAnExpiredCertificateThatIsInTheFileOfAuthorities() throws Exception {
        TlsTrust trust = TlsTrust.of(authorities("expired"), null);
        X509Certificate[] chain = {certificate("expired")};
        assertThat(trust.checkServer(chain, "ECDHE_ECDSA", "localhost").reason())
                .contains("has expired: it is valid until 2020-01-02T00:00:00Z");
    }

    private static TlsTrust.Verdict check(X509Certificate client, Path authorities, String list) {
        return TlsTrust.of(authorities, TlsRevoked.read(TlsFiles.file(list + ".crl")))
                .checkClient(new X509Certificate[] {client}, "ECDHE_ECDSA");
    }

    private Path authorities(String name) throws Exception {
        return Files.writeString(
                folder.resolve("authorities.pem"),
                Files.readString(TlsFiles.file("ca.pem")) + Files.readString(TlsFiles.file(name + ".pem")));
    }

    private static X509Certificate certificate(String name) {
        return TlsTrust.certificates(TlsFiles.file(name + ".pem")).get(0);
    }

    /** Returns a certificate whose authority distributes its revocation list on a port of this machine. */
    private static X509Certificate withDistributionPoint(int port) throws Exception {
        X509Certificate template = certificate("point");
        String content = new String(template.getTBSCertificate(), ISO_8859_1);
        assertThat(content).contains("http://127.0.0.1:00000/");
        byte[] changed =
                content.replace(":00000/", String.format(":%05d/", port)).getBytes(ISO_8859_1);
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(key("ca"));
        signature.update(changed);
        byte[] encoded = template.getEncoded();
        ByteArrayOutputStream signed = new ByteArrayOutputStream();
        signed.write(changed);
        signed.write(encoded, 4 + changed.length, 2 + encoded[4 + changed.length + 1]); // the algorithm
        byte[] proof = signature.sign();
        signed.write(BIT_STRING);
        signed.write(proof.length + 1);
        signed.write(0);
        signed.write(proof);
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.write(SEQUENCE);
        whole.write(TWO_BYTES);
        whole.write(signed.size() >> 8);
        whole.write(signed.size());
        signed.writeTo(whole);
        return (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(whole.toByteArray()));
    }

    private static PrivateKey key(String name) throws Exception {
        String pem = Files.readString(TlsFiles.file(name + ".key")).replaceAll("-----[^-]+-----", "");
        return KeyFactory.getInstance("EC")
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem)));
    }
}
