package io.rocketbufs.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.stream.Collectors;
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

    @Test
    void shouldNameFilesThatAreNotACertificateWithItsKey() throws Exception {
        Path certificate = Files.writeString(directory.resolve("a.pem"), "no");
        Path key = Files.writeString(directory.resolve("b.pem"), "no");

        assertThatThrownBy(() -> TlsIdentity.load(new TlsSettings(certificate, key, directory)))
                .hasMessageContaining("a.pem")
                .hasMessageContaining("b.pem");
    }
}
