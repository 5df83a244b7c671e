package io.rocketbufs.web;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import io.rocketbufs.settings.ReloadedFiles;
import io.rocketbufs.text.ExpiryWarning;
import io.rocketbufs.text.PlainText;
import io.rocketbufs.text.Reason;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The identity of a server: its certificate and private key. BoringSSL provides TLS. With the JDK's TLS 1.3, files
 * pushed by ffmpeg would arrive truncated, because ffmpeg does not wait for responses by default.
 *
 * <p><b>Thread-safety:</b> any thread may use it. <b>Ownership:</b> owns the native context of new connections. The
 * context is released when it has been replaced or this object has been closed, and the last connection that uses it
 * has ended. Close this object after the server.
 */
public final class TlsIdentity implements AutoCloseable {
    /** Name of the TLS handler in every encrypted connection's pipeline. */
    static final String HANDLER = "tls";

    private static final Logger LOG = LoggerFactory.getLogger(TlsIdentity.class);
    private static final long HANDSHAKE_S = 10;
    private static final Pattern KEY = Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END");
    /** The signature algorithm for each key algorithm. */
    private static final Map<String, String> SIGNATURES =
            Map.of("EC", "SHA256withECDSA", "RSA", "SHA256withRSA", "EdDSA", "EdDSA", "Ed25519", "EdDSA");

    private final Path certificate;
    private final Path key;
    /** Written while this object's lock is held. */
    private volatile Content content;

    private boolean isClosed;

    private TlsIdentity(Path certificate, Path key) throws IOException {
        this.certificate = certificate;
        this.key = key;
        this.content = Content.read(certificate, key);
    }

    /**
     * The contents of the files.
     *
     * @param certificates the server's certificate, followed by any intermediate certificates
     */
    private record Content(List<X509Certificate> certificates, SslContext context) {
        private static Content read(Path certificate, Path key) throws IOException {
            // Each file is read only once, so that replacing it during the read cannot mix old and new contents.
            byte[] certificateBytes = bytes(certificate);
            byte[] keyBytes = bytes(key);
            // The context is created first, because its creation checks the contents.
            SslContext context = TlsIdentity.context(certificate, certificateBytes, key, keyBytes);
            try {
                List<X509Certificate> certificates =
                        CertificateFactory.getInstance("X.509")
                                .generateCertificates(new ByteArrayInputStream(certificateBytes))
                                .stream()
                                .map(X509Certificate.class::cast)
                                .toList();
                if (!isPair(certificates.get(0).getPublicKey(), new String(keyBytes, StandardCharsets.US_ASCII))) {
                    throw new GeneralSecurityException("the private key does not belong to the certificate");
                }
                return new Content(certificates, context);
            } catch (GeneralSecurityException e) {
                ReferenceCountUtil.release(context);
                throw new IOException(
                        certificate + " and " + key + " cannot be used as a certificate and its key: " + Reason.of(e),
                        e);
            } catch (RuntimeException | Error e) {
                ReferenceCountUtil.release(context);
                throw e;
            }
        }

        private Instant end() {
            return certificates.stream()
                    .map(each -> each.getNotAfter().toInstant())
                    .min(Instant::compareTo)
                    .orElseThrow();
        }

        private void release() {
            ReferenceCountUtil.release(context);
        }

        private static byte[] bytes(Path file) throws IOException {
            try {
                return Files.readAllBytes(file);
            } catch (IOException e) {
                throw new IOException("cannot read " + file + ": " + Reason.of(e), e);
            }
        }

        /**
         * Checks whether the key belongs to the certificate by signing with the key and verifying the signature.
         * BoringSSL would use the key unchecked. Returns true if this cannot be checked.
         */
        private static boolean isPair(PublicKey owner, String pem) throws GeneralSecurityException {
            Matcher found = KEY.matcher(pem);
            String signature = SIGNATURES.get(owner.getAlgorithm());
            if (!found.find() || signature == null) {
                return true; // only a handshake can check this
            }
            PKCS8EncodedKeySpec bytes =
                    new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(found.group(1)));
            Signature checked = Signature.getInstance(signature);
            try {
                checked.initSign(KeyFactory.getInstance(owner.getAlgorithm()).generatePrivate(bytes));
            } catch (InvalidKeySpecException e) {
                return false; // the key uses another algorithm
            }
            byte[] proof = checked.sign();
            checked.initVerify(owner);
            return checked.verify(proof);
        }
    }

    /**
     * Reads the configured certificate. If none is configured, reads the self-signed certificate; creates it if
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
            return new TlsIdentity(certificate, key);
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

    private static SslContext context(Path certificate, byte[] certificateBytes, Path key, byte[] keyBytes)
            throws IOException {
        try {
            return SslContextBuilder.forServer(
                            new ByteArrayInputStream(certificateBytes), new ByteArrayInputStream(keyBytes))
                    .sslProvider(SslProvider.OPENSSL_REFCNT)
                    .protocols("TLSv1.3", "TLSv1.2")
                    .build();
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    certificate + " and " + key + " cannot be used as a certificate and its key: " + e.getMessage(), e);
        }
    }

    /**
     * Returns the file that contains the certificate. If the certificate is self-signed, clients must be configured to
     * trust it.
     */
    public Path certificate() {
        return certificate;
    }

    /**
     * Returns the time in seconds until the first certificate in the file expires. The time is negative if a
     * certificate has expired.
     */
    public double expirySeconds() {
        return Duration.between(Instant.now(), content.end()).toSeconds();
    }

    /**
     * Logs a warning if a certificate has expired or is about to expire.
     *
     * @param keys configuration keys of the files that must be replaced
     */
    public void warnOfExpiry(String keys) {
        String warning = ExpiryWarning.of(certificate, content.end(), Instant.now(), keys);
        if (warning != null) {
            LOG.warn(warning);
        }
    }

    /**
     * Rereads the files. New connections use a changed certificate after {@link ReloadedFiles#apply}; existing
     * connections are not affected. The caller must close the result.
     *
     * @param name configuration key of the certificate, named in the description of the change and in error messages
     * @throws IllegalArgumentException if a file is unusable, or if it contains a different certificate that has
     *     expired; names the key and the file
     */
    public ReloadedFiles reload(String name) {
        Content next;
        try {
            next = Content.read(certificate, key);
        } catch (IOException e) {
            throw new IllegalArgumentException(name + ": " + Reason.of(e), e);
        }
        if (next.certificates.equals(content.certificates)) {
            next.release();
            return ReloadedFiles.NONE;
        }
        X509Certificate own = next.certificates.get(0);
        Instant end = own.getNotAfter().toInstant();
        if (end.isBefore(Instant.now())) {
            next.release();
            throw new IllegalArgumentException(name + ": " + certificate + " has changed, but expired at " + end
                    + "; replace it with a current one");
        }
        return new Renewal(
                name + ": " + certificate + " now contains \""
                        + PlainText.of(own.getSubjectX500Principal().toString()) + "\", valid until " + end
                        + ", for new connections",
                next);
    }

    /** A changed certificate that is not yet in use. */
    private final class Renewal implements ReloadedFiles {
        private final String change;
        /** Null once it is in use. */
        private Content next;

        private Renewal(String change, Content next) {
            this.change = change;
            this.next = next;
        }

        @Override
        public List<String> changes() {
            return List.of(change);
        }

        @Override
        public void apply() {
            replace(next);
            next = null;
        }

        @Override
        public void close() {
            if (next != null) {
                next.release();
                next = null;
            }
        }
    }

    private synchronized void replace(Content next) {
        Content former = isClosed ? next : content;
        content = isClosed ? content : next;
        former.release();
    }

    /** Encrypts a connection by adding TLS at the end of its pipeline. */
    void secure(ChannelPipeline pipeline) {
        SslHandler tls = newHandler(pipeline.channel().alloc());
        tls.setHandshakeTimeout(HANDSHAKE_S, TimeUnit.SECONDS);
        pipeline.addLast(HANDLER, tls);
    }

    /** Returns a handler that retains the context until the handler is removed from its pipeline. */
    private synchronized SslHandler newHandler(ByteBufAllocator memory) {
        return context().newHandler(memory);
    }

    /** Returns the context of new connections. */
    SslContext context() {
        return content.context;
    }

    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            content.release();
        }
    }
}
