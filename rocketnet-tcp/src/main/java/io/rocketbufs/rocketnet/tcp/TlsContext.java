package io.rocketbufs.rocketnet.tcp;

import io.netty.internal.tcnative.CertificateVerifier;
import io.netty.internal.tcnative.SSL;
import io.netty.internal.tcnative.SSLContext;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The settings shared by all connections of one side: versions, ciphers, this side's certificate and the trusted
 * authorities.
 *
 * <p><b>Thread-safety:</b> any thread may use it. <b>Ownership:</b> owns the key pair and the native context, which are
 * released when this object and all its engines have been closed.
 */
final class TlsContext implements AutoCloseable {
    /**
     * Name of the protocol inside TLS (ALPN). A peer that offers only other names is still accepted, because the
     * greeting identifies the protocol.
     */
    static final String PROTOCOL = "rocketbufs/1";

    /** The ciphers of TLS 1.2: only those with forward secrecy and authenticated encryption, as in TLS 1.3. */
    private static final String CIPHERS = "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256"
            + ":ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384"
            + ":ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";

    private static final int DEPTH = 10;

    private final boolean isServer;
    /** This side's key pair; null if it presents no certificate. */
    private final TlsKeyPair keyPair;

    /** The authorities of peers; null if this side requests no certificates. */
    private final TlsTrust trust;

    private final long context;
    /** The engines whose handshake has not ended, by the address of their SSL object. */
    private final Map<Long, TlsEngine> handshaking = new ConcurrentHashMap<>();

    private int useCount = 1;

    private TlsContext(boolean isServer, TlsKeyPair keyPair, TlsTrust trust, int verification) {
        this.isServer = isServer;
        this.keyPair = keyPair;
        this.trust = trust;
        context = make(isServer, trust == null ? SSL.SSL_CVERIFY_NONE : verification);
        try {
            check();
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /**
     * Creates the context of listeners.
     *
     * @param trust authorities of the clients' certificates; null if clients are not asked for certificates
     * @param isRequired whether clients without a certificate are refused
     * @throws IllegalArgumentException if the key does not belong to the certificate
     */
    static TlsContext server(TlsKeyPair keyPair, TlsTrust trust, boolean isRequired) {
        return new TlsContext(true, keyPair, trust, isRequired ? SSL.SSL_CVERIFY_REQUIRED : SSL.SSL_CVERIFY_OPTIONAL);
    }

    /**
     * Creates the context of connecting sides.
     *
     * @param keyPair this side's key pair, or null if it presents no certificate
     * @throws IllegalArgumentException if the key does not belong to the certificate
     */
    static TlsContext client(TlsKeyPair keyPair, TlsTrust trust) {
        return new TlsContext(false, keyPair, trust, SSL.SSL_CVERIFY_REQUIRED);
    }

    private long make(boolean server, int verification) {
        try {
            long made = SSLContext.make(
                    SSL.SSL_PROTOCOL_TLSV1_2 | SSL.SSL_PROTOCOL_TLSV1_3,
                    server ? SSL.SSL_MODE_SERVER : SSL.SSL_MODE_CLIENT);
            SSLContext.setOptions(made, SSL.SSL_OP_NO_TICKET | SSL.SSL_OP_CIPHER_SERVER_PREFERENCE);
            SSLContext.setCipherSuite(made, CIPHERS, false);
            SSLContext.setAlpnProtos(made, new String[] {PROTOCOL}, SSL.SSL_SELECTOR_FAILURE_NO_ADVERTISE);
            SSLContext.setMode(made, SSLContext.getMode(made) | SSL.SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
            SSLContext.setVerify(made, verification, DEPTH);
            SSLContext.setCertVerifyCallback(made, new Verifier());
            return made;
        } catch (Exception e) {
            throw new IllegalStateException("BoringSSL cannot create a context", e);
        }
    }

    private void check() {
        long ssl = newSsl();
        SSL.freeSSL(ssl);
    }

    private long newSsl() {
        long ssl = SSL.newSSL(context, isServer);
        try {
            if (keyPair != null) {
                keyPair.use(ssl);
            }
            return ssl;
        } catch (RuntimeException | Error e) {
            SSL.freeSSL(ssl);
            throw e;
        }
    }

    /** Returns whether this is the context of listeners. */
    boolean isServer() {
        return isServer;
    }

    /** Returns this side's certificate chain, its own certificate first; empty if it has no certificate. */
    List<X509Certificate> certificates() {
        return keyPair == null ? List.of() : keyPair.certificates();
    }

    /** Returns the earliest expiry of these certificates, or null if there are none. */
    Instant certificateEnd() {
        return certificates().stream()
                .map(certificate -> certificate.getNotAfter().toInstant())
                .min(Instant::compareTo)
                .orElse(null);
    }

    /** Returns the authorities of peers; null if this side requests no certificates. */
    TlsTrust trust() {
        return trust;
    }

    /** Increments the use count, for {@link #newEngine}. Must not be called on a closed context. */
    synchronized void use() {
        assert useCount > 0 : "the context is closed";
        useCount++;
    }

    /**
     * Creates the TLS engine of one connection. The engine takes over one use of this context.
     *
     * @param host the name or numeric address for which the server's certificate must be valid; null on the server
     */
    TlsEngine newEngine(String host) {
        try {
            return newEngine(newSsl(), host);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private TlsEngine newEngine(long ssl, String host) {
        try {
            TlsEngine engine = new TlsEngine(this, ssl, host);
            handshaking.put(ssl, engine);
            return engine;
        } catch (RuntimeException | Error e) {
            SSL.freeSSL(ssl);
            throw e;
        }
    }

    /** Called when an engine's handshake has ended. */
    void handshakeEnded(long ssl) {
        handshaking.remove(ssl);
    }

    /** Releases one use: the creator's or an engine's. */
    @Override
    public synchronized void close() {
        useCount--;
        if (useCount == 0) {
            SSLContext.free(context);
            if (keyPair != null) {
                keyPair.close();
            }
        }
    }

    /** The receiver of the peer's certificates. */
    private final class Verifier extends CertificateVerifier {
        @Override
        public int verify(long ssl, byte[][] chain, String authentication) {
            TlsEngine engine = handshaking.get(ssl);
            return engine == null ? X509_V_ERR_UNSPECIFIED : engine.verify(chain, authentication, trust);
        }
    }
}
