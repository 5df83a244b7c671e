package io.rocketbufs.livestream.web;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.rocketbufs.livestream.TlsSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Who a server is: its certificate and key. TLS is BoringSSL's: ffmpeg's default way of pushing does not wait for
 * replies, and against the JDK's TLS 1.3 its files arrive cut off.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
public final class TlsIdentity {
    private final Path certificate;
    private final SslContext context;

    private TlsIdentity(Path certificate, SslContext context) {
        this.certificate = certificate;
        this.context = context;
    }

    /**
     * Reads the configured certificate, or the self-made one, which is made if it is not there.
     *
     * @throws UncheckedIOException when a file cannot be read or written, or is not what it should be
     */
    public static TlsIdentity load(TlsSettings settings) {
        OpenSsl.ensureAvailability();
        try {
            Path certificate = settings.certificate();
            Path key = settings.key();
            if (certificate == null) {
                certificate = settings.directory().resolve("cert.pem");
                key = settings.directory().resolve("key.pem");
                makeOnce(settings.directory(), certificate, key);
            }
            return new TlsIdentity(certificate, context(certificate, key));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Several processes may start at once. */
    private static void makeOnce(Path directory, Path certificate, Path key) throws IOException {
        Files.createDirectories(directory);
        synchronized (TlsIdentity.class) {
            try (FileChannel file = FileChannel.open(
                            directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = file.lock()) {
                assert lock.isValid();
                SelfSigned.makeUnlessThere(certificate, key);
            }
        }
    }

    private static SslContext context(Path certificate, Path key) throws IOException {
        try {
            return SslContextBuilder.forServer(certificate.toFile(), key.toFile())
                    .sslProvider(SslProvider.OPENSSL)
                    .protocols("TLSv1.3", "TLSv1.2")
                    .build();
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    certificate + " and " + key + " are no certificate with its key: " + e.getMessage(), e);
        }
    }

    /** The file that players and sources have to trust, if it is self-made. */
    public Path certificate() {
        return certificate;
    }

    SslContext context() {
        return context;
    }
}
