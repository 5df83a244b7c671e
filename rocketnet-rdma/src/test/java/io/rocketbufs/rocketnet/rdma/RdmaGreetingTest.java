package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.rocketnet.rdma.ofi.NativeBlock;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

final class RdmaGreetingTest {
    private static final RdmaGreeting GREETING = new RdmaGreeting(128, 0x0102030405060708L, -2);

    private static byte[] bytes(RdmaGreeting greeting) {
        NativeBlock block = greeting.block();
        byte[] bytes = new byte[block.length()];
        block.bytes().get(0, bytes);
        return bytes;
    }

    @Test
    void shouldBeEncodedAsDocumented() {
        assertThat(HexFormat.of().formatHex(bytes(GREETING)))
                .isEqualTo("5242" + "01" + "00" + "00000080" + "0102030405060708" + "fffffffffffffffe");
    }

    @Test
    void shouldBeDecodedAsItWasEncoded() {
        assertThat(RdmaGreeting.of(bytes(GREETING))).isEqualTo(GREETING);
    }

    @Test
    void shouldFitThePrivateDataOfEveryProvider() {
        assertThat(bytes(GREETING).length).isLessThanOrEqualTo(48);
    }

    @Test
    void shouldIgnorePaddingByAProvider() {
        assertThat(RdmaGreeting.of(Arrays.copyOf(bytes(GREETING), 196))).isEqualTo(GREETING);
    }

    @Test
    void shouldRefuseAnotherVersion() {
        byte[] bytes = bytes(GREETING);
        bytes[2] = 2;
        assertRefused(bytes, "unsupported version of the RDMA protocol: version=2, supported=1");
    }

    @Test
    void shouldRefuseDataOfAnotherProtocol() {
        byte[] bytes = bytes(GREETING);
        bytes[0]++;
        assertRefused(bytes, "not a RocketBufs peer: private data of 24 bytes");
    }

    @Test
    void shouldRefuseDataThatIsTooShort() {
        assertRefused(new byte[0], "not a RocketBufs peer: private data of 0 bytes");
        assertRefused(Arrays.copyOf(bytes(GREETING), 1), "not a RocketBufs peer: private data of 1 bytes");
        assertRefused(Arrays.copyOf(bytes(GREETING), 23), "not a RocketBufs peer: private data of 23 bytes");
    }

    @Test
    void shouldRefuseTooFewReceives() {
        assertRefused(bytes(new RdmaGreeting(3, 1, 1)), "too few receives: receives=3, minimum=4");
        assertRefused(bytes(new RdmaGreeting(-1, 1, 1)), "too few receives: receives=-1, minimum=4");
        assertThat(RdmaGreeting.of(bytes(new RdmaGreeting(4, 1, 1))).receives()).isEqualTo(4);
    }

    private static void assertRefused(byte[] bytes, String why) {
        assertThatThrownBy(() -> RdmaGreeting.of(bytes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(why);
    }
}
