package io.rocketbufs.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A self-signed certificate for this machine only (localhost, 127.0.0.1 and ::1). Clients must be configured to trust
 * it. The JVM's keytool creates the certificate, because Java has no API for creating certificates.
 */
final class SelfSigned {
    private static final String ALIAS = "server";
    /** Password of a key store that exists only briefly, in a directory readable only by this user. */
    private static final String PASSWORD = "changeit";

    private static final long LIMIT_S = 60;
    private static final int LINE_LENGTH = 64;

    private SelfSigned() {}

    /** Creates a certificate and its key unless both files already exist. */
    static void makeUnlessThere(Path certificate, Path key) throws IOException {
        if (Files.exists(certificate) && Files.exists(key)) {
            return;
        }
        Path directory = Files.createTempDirectory("rocketbufs-tls");
        Path store = directory.resolve("store.p12");
        try {
            generate(store);
            KeyStore made = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
            Files.createDirectories(certificate.toAbsolutePath().getParent());
            write(key, "PRIVATE KEY", made.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded());
            write(certificate, "CERTIFICATE", made.getCertificate(ALIAS).getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IOException("keytool failed to create a certificate and its key: " + e.getMessage(), e);
        } finally {
            Files.deleteIfExists(store);
            Files.delete(directory);
        }
    }

    private static void generate(Path store) throws IOException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                ALIAS,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=RocketBufs",
                "-ext",
                "san=dns:localhost,ip:127.0.0.1,ip:::1",
                "-ext",
                // The certificate is its own authority.
                "bc:critical=ca:true",
                "-startdate",
                // A client's clock may be slow.
                "-1d",
                "-validity",
                "3650",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD);
        Path output = store.resolveSibling("output");
        Process keytool = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!keytool.waitFor(LIMIT_S, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
                throw new IOException(command.get(0) + " failed: "
                        + Files.readString(output).strip()
                        + "; configure a certificate and its key instead (tls.certificate, tls.key)");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while keytool was creating a certificate", e);
        } finally {
            keytool.destroyForcibly();
            Files.deleteIfExists(output);
        }
    }

    /** Writes a file atomically. Only this user can read it. */
    private static void write(Path file, String label, byte[] der) throws IOException {
        byte[] pem = ("-----BEGIN " + label + "-----\n"
                        + Base64.getMimeEncoder(LINE_LENGTH, new byte[] {'\n'}).encodeToString(der) + "\n-----END "
                        + label + "-----\n")
                .getBytes(StandardCharsets.US_ASCII);
        Path whole = Files.createTempFile(
                file.toAbsolutePath().getParent(),
                file.getFileName().toString(),
                ".new",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(whole, pem);
        Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
