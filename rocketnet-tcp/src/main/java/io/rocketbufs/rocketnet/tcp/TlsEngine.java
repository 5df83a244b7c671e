package io.rocketbufs.rocketnet.tcp;

import io.netty.internal.tcnative.CertificateVerifier;
import io.netty.internal.tcnative.SSL;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.text.Reason;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;

/**
 * The TLS engine of one connection: BoringSSL between memory for plain text and memory for records. It neither reads
 * nor writes a socket, and allocates nothing after the handshake.
 *
 * <p>Netty's own engine is not used, for two reasons. It answers a close_notify immediately with its own, which would
 * end both directions of the connection. It also allocates an object for each call.
 *
 * <p><b>Thread-safety:</b> the handshake belongs to one thread at a time; after the handshake, one thread may encrypt
 * while another decrypts. BoringSSL's object allows only one call at a time, hence the lock. {@link #close} must be the
 * last call. <b>Ownership:</b> owns the native object, and one use of the context.
 */
final class TlsEngine implements AutoCloseable {
    /** Maximum length in bytes of a record's plain text. */
    static final int PLAIN_LENGTH = SSL.SSL_MAX_PLAINTEXT_LENGTH;

    /** Maximum length in bytes of a record that this side creates, including its header, tag and content type. */
    static final int RECORD_LENGTH = PLAIN_LENGTH + 256;

    /** Returned by {@link #decrypt} when the peer has sent its close_notify, after all its data. */
    static final int END = -1;

    /**
     * Length in bytes of the memory in which BoringSSL stores records that it sends while it reads, for example alerts.
     */
    private static final int PENDING_LENGTH = 4 << 10;

    private final TlsContext context;
    private final long ssl;
    private final long bio;
    private final String host;
    private int consumed;
    private int produced;
    private X509Certificate peerCertificate;
    private String refusal;

    TlsEngine(TlsContext context, long ssl, String host) {
        this.context = context;
        this.ssl = ssl;
        this.host = host;
        bio = SSL.bioNewByteBuffer(ssl, PENDING_LENGTH);
        if (host != null && !TlsNames.isAddress(host)) {
            SSL.setTlsExtHostName(ssl, host);
        }
    }

    /**
     * Continues the handshake. May take milliseconds. {@link #consumed} and {@link #produced} return how much was read
     * and written. This also applies after a failure; the output is then an alert.
     *
     * @param in address of the peer's records
     * @param out address of the memory for records to the peer
     * @return true when the handshake is complete; false when it needs further input, or memory for further output
     */
    synchronized boolean handshake(long in, int inLength, long out, int outLength) throws TlsFailure {
        consumed = 0;
        produced = 0;
        while (true) {
            SSL.bioSetByteBuffer(bio, in + consumed, inLength - consumed, false);
            int result = SSL.doHandshake(ssl);
            int error = result > 0 ? SSL.SSL_ERROR_NONE : SSL.getError(ssl, result);
            TlsFailure failure = isFatal(error) ? failure() : null;
            consumed = inLength - SSL.bioLengthByteBuffer(bio);
            produced += flush(out + produced, outLength - produced);
            if (failure != null) {
                throw failure;
            }
            if (result > 0) {
                context.handshakeEnded(ssl);
                return true;
            }
            if (error != SSL.SSL_ERROR_WANT_WRITE || produced == outLength) {
                return false;
            }
        }
    }

    private static boolean isFatal(int error) {
        return error != SSL.SSL_ERROR_NONE && error != SSL.SSL_ERROR_WANT_READ && error != SSL.SSL_ERROR_WANT_WRITE;
    }

    private int flush(long out, int length) {
        SSL.bioSetByteBuffer(bio, out, length, true);
        int flushed = SSL.bioFlushByteBuffer(bio);
        SSL.bioClearByteBuffer(bio);
        return flushed;
    }

    private TlsFailure failure() {
        int number = SSL.getLastErrorNumber();
        SSL.clearError();
        return refusal == null
                ? TlsReasons.of(number == 0 ? "" : SSL.getErrorString(number & 0xffff_ffffL))
                : new TlsFailure(Code.REFUSED, refusal);
    }

    /** Returns the number of input bytes that the last call read. */
    synchronized int consumed() {
        return consumed;
    }

    /** Returns the number of output bytes that the handshake wrote. */
    synchronized int produced() {
        return produced;
    }

    /** Called during the handshake with the peer's certificates; returns one of BoringSSL's codes. */
    int verify(byte[][] chain, String authentication, TlsTrust trust) {
        try {
            X509Certificate[] parsed = TlsTrust.parse(chain);
            TlsTrust.Verdict verdict = host == null
                    ? trust.checkClient(parsed, authentication)
                    : trust.checkServer(parsed, authentication, host);
            refusal = verdict.reason();
            if (refusal == null) {
                peerCertificate = parsed[0];
            }
            return verdict.code();
        } catch (CertificateException | RuntimeException e) {
            refusal = "the peer's certificate is malformed: " + Reason.of(e);
            return CertificateVerifier.X509_V_ERR_UNSPECIFIED;
        }
    }

    /** Returns the peer's certificate, which this side has verified, or null if the peer presented none. */
    X509Certificate peerCertificate() {
        return peerCertificate;
    }

    /**
     * Encrypts one record.
     *
     * @param length at most {@link #PLAIN_LENGTH}
     * @param capacity length of the memory for the record, at least {@link #RECORD_LENGTH}
     * @return number of bytes written, including any additional records that BoringSSL had to send
     */
    synchronized int encrypt(long plain, int length, long out, int capacity) throws TlsFailure {
        SSL.bioSetByteBuffer(bio, out, capacity, true);
        try {
            SSL.bioFlushByteBuffer(bio);
            if (SSL.writeToSSL(ssl, plain, length) != length) {
                throw failure();
            }
            return capacity - SSL.bioLengthByteBuffer(bio);
        } finally {
            SSL.bioClearByteBuffer(bio);
        }
    }

    /**
     * Decrypts records into memory. {@link #consumed} returns how much of the input was read: all of it, unless the
     * memory is full or the stream has ended.
     *
     * @return number of bytes written, or {@link #END}; 0 if the input contains no complete record
     */
    synchronized int decrypt(long in, int inLength, long plain, int capacity) throws TlsFailure {
        SSL.bioSetByteBuffer(bio, in, inLength, false);
        try {
            int read = SSL.readFromSSL(ssl, plain, capacity);
            consumed = inLength - SSL.bioLengthByteBuffer(bio);
            if (read > 0) {
                return read;
            }
            int error = SSL.getError(ssl, read);
            if (error == SSL.SSL_ERROR_ZERO_RETURN) {
                return END;
            }
            if (isFatal(error)) {
                throw failure();
            }
            return 0;
        } finally {
            SSL.bioClearByteBuffer(bio);
        }
    }

    /** Writes a close_notify, which ends the stream to the peer. Returns the number of bytes written. */
    synchronized int end(long out, int capacity) {
        SSL.bioSetByteBuffer(bio, out, capacity, true);
        SSL.bioFlushByteBuffer(bio);
        SSL.shutdownSSL(ssl);
        SSL.clearError();
        int length = capacity - SSL.bioLengthByteBuffer(bio);
        SSL.bioClearByteBuffer(bio);
        return length;
    }

    @Override
    public synchronized void close() {
        context.handshakeEnded(ssl);
        SSL.freeSSL(ssl);
        context.close();
    }
}
