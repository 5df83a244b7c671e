package io.rocketbufs.rocketnet.tcp;

import io.netty.internal.tcnative.SSL;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;

/**
 * The certificate chain of one side and its private key, in BoringSSL's memory.
 *
 * <p><b>Thread-safety:</b> immutable until {@link #close}. <b>Ownership:</b> owns the native memory.
 */
final class TlsKeyPair implements AutoCloseable {
    private final List<X509Certificate> certificates;
    private final long chain;
    private final long key;

    private TlsKeyPair(List<X509Certificate> certificates, long chain, long key) {
        this.certificates = certificates;
        this.chain = chain;
        this.key = key;
    }

    /**
     * Reads PEM files.
     *
     * @param certificates file that contains the certificate, followed by any intermediate certificates
     * @throws IllegalArgumentException if a file cannot be read, or if the key does not match the certificate; names
     *     the files, but never shows a key
     */
    static TlsKeyPair read(Path certificates, Path key) {
        // The file is read only once, so that replacing it during the read cannot mix old and new contents.
        byte[] bytes = bytes(certificates);
        List<X509Certificate> all = TlsTrust.certificates(certificates, bytes);
        long chainAddress = withBio(certificates, bytes, "certificate", SSL::parseX509Chain);
        try {
            return new TlsKeyPair(
                    all, chainAddress, withBio(key, bytes(key), "private key", bio -> SSL.parsePrivateKey(bio, null)));
        } catch (RuntimeException | Error e) {
            SSL.freeX509Chain(chainAddress);
            throw e;
        }
    }

    /** A BoringSSL function that parses the contents of one of its inputs. */
    @FunctionalInterface
    private interface Parser {
        long parse(long bio) throws Exception;
    }

    private static byte[] bytes(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot read " + file + ": " + Reason.of(e), e);
        }
    }

    private static long withBio(Path file, byte[] bytes, String what, Parser parser) {
        if (bytes.length == 0) {
            throw new IllegalArgumentException(file + " is empty; expected a " + what + " in PEM format");
        }
        try {
            long bio = SSL.newMemBIO();
            try {
                write(bio, bytes);
                return parser.parse(bio);
            } finally {
                SSL.freeBIO(bio);
            }
        } catch (Exception e) {
            // The cause is omitted, because it might show part of a key.
            throw new IllegalArgumentException(file + " contains no " + what
                    + " in PEM format without a password; decrypt an encrypted key with \"openssl pkey\"");
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    private static void write(long bio, byte[] bytes) {
        try (MemoryPool memory = new MemoryPool(bytes.length)) {
            Region region = memory.allocate(bytes.length);
            region.window(0, bytes.length).put(0, bytes);
            SSL.bioWrite(bio, region.address(), bytes.length);
            region.window(0, bytes.length).put(0, new byte[bytes.length]);
            region.release();
        }
    }

    /** Returns this side's certificate, followed by any intermediate certificates. */
    List<X509Certificate> certificates() {
        return certificates;
    }

    /**
     * Makes a connection use the certificates.
     *
     * @param ssl address of the connection's SSL object
     * @throws IllegalArgumentException if the key does not belong to the certificate
     */
    void use(long ssl) {
        try {
            SSL.setKeyMaterial(ssl, chain, key);
        } catch (Exception e) {
            throw new IllegalArgumentException("the private key does not belong to the certificate", e);
        }
    }

    @Override
    public void close() {
        SSL.freeX509Chain(chain);
        SSL.freePrivateKey(key);
    }
}
