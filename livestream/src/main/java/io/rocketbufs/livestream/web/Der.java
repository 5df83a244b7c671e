package io.rocketbufs.livestream.web;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/** As much of DER, the encoding of certificates (ITU-T X.690), as a certificate of our own needs. */
final class Der {
    static final int SEQUENCE = 0x30;
    static final int SET = 0x31;
    static final int OCTETS = 0x04;
    static final int UTF8 = 0x0c;

    private static final int INTEGER = 0x02;
    private static final int BITS = 0x03;
    private static final int BOOLEAN = 0x01;
    private static final int OBJECT = 0x06;
    private static final int GENERALIZED_TIME = 0x18;
    private static final int SHORT_LENGTH = 0x80;
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'");

    private Der() {}

    /** A value of a type, made of parts. */
    static byte[] of(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        int length = content.size();
        if (length < SHORT_LENGTH) {
            out.write(length);
        } else if (length <= 0xff) {
            out.write(SHORT_LENGTH | 1);
            out.write(length);
        } else {
            out.write(SHORT_LENGTH | 2);
            out.write(length >> 8);
            out.write(length);
        }
        out.writeBytes(content.toByteArray());
        return out.toByteArray();
    }

    static byte[] text(String text) {
        return of(UTF8, text.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] integer(BigInteger number) {
        return of(INTEGER, number.toByteArray());
    }

    static byte[] yes() {
        return of(BOOLEAN, new byte[] {(byte) 0xff});
    }

    /** Whole bytes of bits. */
    static byte[] bits(byte[] bytes) {
        return of(BITS, new byte[1], bytes);
    }

    static byte[] time(ZonedDateTime time) {
        return of(
                GENERALIZED_TIME,
                TIME.format(time.withZoneSameInstant(ZoneOffset.UTC)).getBytes(StandardCharsets.US_ASCII));
    }

    /** The name of something, as its numbers. */
    static byte[] object(int first, int second, int... more) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        content.write(40 * first + second);
        for (int number : more) {
            boolean started = false;
            for (int shift = 28; shift >= 0; shift -= 7) {
                int bits = number >> shift & 0x7f;
                started |= bits != 0 || shift == 0;
                if (started) {
                    content.write(shift == 0 ? bits : bits | 0x80);
                }
            }
        }
        return of(OBJECT, content.toByteArray());
    }
}
