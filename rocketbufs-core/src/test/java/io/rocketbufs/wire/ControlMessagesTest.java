package io.rocketbufs.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ControlMessagesTest {
    private static final int LONGEST = ControlLayout.HEADER_LENGTH + ControlLayout.MAX_BODY_LENGTH;

    private static ByteBuffer message(int type, int version, int statedLength, int length) {
        return ByteBuffer.allocate(ControlLayout.HEADER_LENGTH + length)
                .put((byte) type)
                .put((byte) version)
                .putShort((short) statedLength)
                .rewind();
    }

    private static void assertRefused(ByteBuffer message, String... parts) {
        assertThatThrownBy(() -> ControlMessages.check(message))
                .isInstanceOfSatisfying(
                        TransportException.class, e -> assertThat(e.code()).isEqualTo(TransportException.Code.PROTOCOL))
                .hasMessageContainingAll(parts);
    }

    @ParameterizedTest
    @EnumSource(ControlType.class)
    void shouldAcceptExactlyTheLengthsOfEachType(ControlType type) {
        int accepted = 0;
        for (int length = 0; length <= ControlLayout.MAX_BODY_LENGTH; length += length < 70 ? 1 : 17) {
            ByteBuffer message = message(type.code(), ControlLayout.VERSION, length, length);
            if (type.allows(length)) {
                assertThat(ControlMessages.check(message)).isEqualTo(type);
                assertThat(message.position()).isEqualTo(ControlLayout.HEADER_LENGTH);
                accepted++;
            } else {
                assertRefused(message, "type=" + type, "length=" + length);
                assertThat(message.position()).isZero();
            }
        }
        assertThat(accepted).isPositive();
        assertThat(type.allows(-1)).isFalse();
        assertThat(type.allows(ControlLayout.MAX_BODY_LENGTH + 1)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(ControlType.class)
    void shouldFindEachTypeByItsCode(ControlType type) {
        assertThat(ControlType.of(type.code())).isEqualTo(type);
    }

    @Test
    void shouldRefuseEveryUnknownType() {
        for (int code = 0; code < 256; code++) {
            if (ControlType.of(code) == null) {
                assertRefused(message(code, ControlLayout.VERSION, 12, 12), "unknown type=" + code);
            }
        }
        assertThat(ControlType.of(0)).isNull();
        assertThat(ControlType.of(255)).isNull();
    }

    @Test
    void shouldRefuseEveryOtherVersion() {
        for (int version = 0; version < 256; version++) {
            if (version != ControlLayout.VERSION) {
                assertRefused(
                        message(12, version, 0, 0), "version=" + version, "only version " + ControlLayout.VERSION);
            }
        }
    }

    @Test
    void shouldRejectALengthThatDiffersFromTheMessage() {
        for (int stated = 0; stated <= 0xffff; stated += 101) {
            if (stated != 12) {
                assertRefused(message(7, ControlLayout.VERSION, stated, 12), "states length=" + stated, "length is 12");
            }
        }
    }

    @Test
    void shouldRefuseLessThanAHeader() {
        for (int length = 0; length < ControlLayout.HEADER_LENGTH; length++) {
            assertRefused(ByteBuffer.allocate(length), "has " + length + " bytes");
        }
    }

    @Test
    void shouldThrowOnlyTransportExceptionsForRandomBytes() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int accepted = 0;
        for (int i = 0; i < 100_000; i++) {
            accepted += check(randomMessage(random), "seed=" + seed + " message=" + i) ? 1 : 0;
        }
        assertThat(accepted).as("seed=%d", seed).isPositive();
    }

    private static boolean check(ByteBuffer message, String where) {
        try {
            ControlMessages.check(message);
            return true;
        } catch (TransportException e) {
            return false;
        } catch (RuntimeException e) {
            return fail(where, e);
        }
    }

    /** Returns random bytes whose header fields are often nearly correct. */
    private static ByteBuffer randomMessage(Random random) {
        byte[] bytes = new byte[random.nextInt(random.nextInt(10) == 0 ? LONGEST : 64)];
        random.nextBytes(bytes);
        ByteBuffer message = ByteBuffer.wrap(bytes);
        if (bytes.length >= ControlLayout.HEADER_LENGTH && random.nextBoolean()) {
            message.put(0, (byte) random.nextInt(18)).put(1, (byte) random.nextInt(3));
            message.putShort(2, (short) (bytes.length - ControlLayout.HEADER_LENGTH - random.nextInt(2)));
        }
        return message;
    }
}
