package io.rocketbufs.web;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/**
 * The identity of a server: its certificate and private key. BoringSSL provides TLS. With the JDK's TLS 1.3, files that
 * ffmpeg pushes would arrive truncated, because by default ffmpeg does not wait for responses.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
public final class TlsIdentity {
    /** Name of the TLS handler in every encrypted connection's pipeline. */
    static final String HANDLER = "tls";

    private static final long HANDSHAKE_S = 10;

    private final Path certificate;
    private final SslContext context;

    private TlsIdentity(Path certificate, SslContext context) {
        this.certificate = certificate;
        this.context = context;
    }

    /**
     * Reads the configured certificate. If none is configured, reads the self-signed certificate, which is created if
     * necessary.
     *
     * @throws UncheckedIOException if a file cannot be read or written, or if its content is invalid
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

    /** Creates the certificate under a lock, because several processes may start at the same time. */
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
                    certificate + " and " + key + " are not a certificate with its key: " + e.getMessage(), e);
        }
    }

    /** Returns the certificate's file. Clients must trust the certificate if it is self-signed. */
    public Path certificate() {
        return certificate;
    }

    /** Encrypts a connection: adds TLS at the end of its pipeline. */
    void secure(ChannelPipeline pipeline) {
        SslHandler tls = context.newHandler(pipeline.channel().alloc());
        tls.setHandshakeTimeout(HANDSHAKE_S, TimeUnit.SECONDS);
        pipeline.addLast(HANDLER, tls);
    }
}
