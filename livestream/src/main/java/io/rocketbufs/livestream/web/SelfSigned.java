package io.rocketbufs.livestream.web;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Base64;

/**
 * Makes a certificate for this machine alone (localhost, 127.0.0.1 and ::1), which signs itself: whoever shall accept
 * it must be told to.
 */
final class SelfSigned {
    private static final int YEARS = 10;
    private static final int DNS_NAME = 0x82;
    private static final int IP_ADDRESS = 0x87;
    private static final int LINE_LENGTH = 64;
    private static final byte[] IP4 = {127, 0, 0, 1};
    private static final byte[] IP6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

    private SelfSigned() {}

    /** Makes one, and a key, unless both are there. */
    static void makeUnlessThere(Path certificate, Path key) throws IOException {
        if (Files.exists(certificate) && Files.exists(key)) {
            return;
        }
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair pair = generator.generateKeyPair();
            Files.createDirectories(certificate.toAbsolutePath().getParent());
            write(key, "PRIVATE KEY", pair.getPrivate().getEncoded());
            write(certificate, "CERTIFICATE", certificate(pair, ZonedDateTime.now(ZoneOffset.UTC)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JVM knows these", e);
        }
    }

    private static byte[] certificate(KeyPair pair, ZonedDateTime now) throws GeneralSecurityException {
        byte[] algorithm = Der.of(Der.SEQUENCE, Der.object(1, 2, 840, 10045, 4, 3, 2)); // ecdsa-with-SHA256
        byte[] name = Der.of(
                Der.SEQUENCE,
                Der.of(Der.SET, Der.of(Der.SEQUENCE, Der.object(2, 5, 4, 3), Der.text("RocketBufs livestream"))));
        byte[] content = Der.of(
                Der.SEQUENCE,
                Der.of(0xa0, Der.integer(BigInteger.TWO)), // version 3
                Der.integer(new BigInteger(63, new SecureRandom()).setBit(62)),
                algorithm,
                name,
                // The clock of whoever looks at it may be slow.
                Der.of(Der.SEQUENCE, Der.time(now.minusDays(1)), Der.time(now.plusYears(YEARS))),
                name,
                pair.getPublic().getEncoded(),
                Der.of(0xa3, extensions()));
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(pair.getPrivate());
        signature.update(content);
        return Der.of(Der.SEQUENCE, content, algorithm, Der.bits(signature.sign()));
    }

    private static byte[] extensions() {
        byte[] names = Der.of(
                Der.SEQUENCE,
                Der.of(DNS_NAME, "localhost".getBytes(StandardCharsets.US_ASCII)),
                Der.of(IP_ADDRESS, IP4),
                Der.of(IP_ADDRESS, IP6));
        return Der.of(
                Der.SEQUENCE,
                Der.of(Der.SEQUENCE, Der.object(2, 5, 29, 17), Der.of(Der.OCTETS, names)),
                // It is its own authority.
                Der.of(
                        Der.SEQUENCE,
                        Der.object(2, 5, 29, 19),
                        Der.yes(),
                        Der.of(Der.OCTETS, Der.of(Der.SEQUENCE, Der.yes()))));
    }

    /** Readers see all of it or nothing; nobody else may read it. */
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
