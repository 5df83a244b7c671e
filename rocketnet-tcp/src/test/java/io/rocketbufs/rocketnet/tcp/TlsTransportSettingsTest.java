package io.rocketbufs.rocketnet.tcp;

import static io.rocketbufs.contract.TlsFiles.certificate;
import static io.rocketbufs.contract.TlsFiles.clientAuthority;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.contract.TlsFiles;
import io.rocketbufs.settings.SettingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
final class TlsTransportSettingsTest {
    private static final String KEYS = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n";

    @TempDir
    Path directory;

    private static void check(String... settings) {
        Config config = TlsFiles.with(ConfigFactory.load(), settings);
        new TlsTransportProvider().check(config);
    }

    private static void assertWrong(String message, String... settings) {
        assertThatThrownBy(() -> check(settings))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(message)
                .hasMessageNotContaining("c2VjcmV0");
    }

    @Test
    void shouldAcceptFilesOrNone() {
        assertThatCode(() -> check()).doesNotThrowAnyException();
        assertThatCode(() -> check(certificate("server"), clientAuthority("ca"), TlsFiles.trust("ca")))
                .doesNotThrowAnyException();
    }

    @Test
    void shouldNameTheOtherKeyOfAPair() {
        assertWrong(
                "rocketbufs.tls.key: must be set together with rocketbufs.tls.certificate",
                "rocketbufs.tls.certificate = x");
        assertWrong(
                "rocketbufs.tls.client-certificate: must be set together with rocketbufs.tls.client-key",
                "rocketbufs.tls.client-key = x");
    }

    @Test
    void shouldNameAFileThatCannotBeRead() {
        assertWrong(
                "rocketbufs.tls.ca: cannot read /nowhere/ca.pem: no such file or directory",
                "rocketbufs.tls.ca = /nowhere/ca.pem");
        assertWrong(
                "cannot read /nowhere/key: no such file or directory",
                certificate("server"),
                "rocketbufs.tls.key = /nowhere/key");
    }

    @Test
    void shouldNameAFileWithoutACertificate() throws IOException {
        Path file = Files.writeString(directory.resolve("ca"), KEYS);
        assertWrong(file + " ", "rocketbufs.tls.ca = \"" + file + "\"");
        Path empty = Files.createFile(directory.resolve("empty"));
        assertWrong(empty + " contains no certificate", "rocketbufs.tls.ca = \"" + empty + "\"");
    }

    @Test
    void shouldNameAFileWithoutAKeyButNotShowIt() throws IOException {
        Path file = Files.writeString(directory.resolve("key"), KEYS);
        assertWrong(
                file + " contains no private key in PEM format without a password",
                certificate("server"),
                "rocketbufs.tls.key = \"" + file + "\"");
        Path empty = Files.createFile(directory.resolve("empty"));
        assertWrong(
                empty + " is empty; expected a private key",
                certificate("server"),
                "rocketbufs.tls.key = \"" + empty + "\"");
    }

    @Test
    void shouldRefuseTheKeyOfAnotherCertificate() {
        assertWrong(
                "the private key does not belong to the certificate",
                certificate("server"),
                "rocketbufs.tls.key = \"" + TlsFiles.file("edge1.key") + "\"");
    }

    @Test
    void shouldRequireAnAuthorityToRequireCertificates() {
        assertWrong(
                "rocketbufs.tls.client-ca: is empty, but rocketbufs.tls.require-client-certificate is on",
                certificate("server"),
                "rocketbufs.tls.require-client-certificate = on");
    }
}
