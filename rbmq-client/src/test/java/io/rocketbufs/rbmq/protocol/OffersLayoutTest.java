package io.rocketbufs.rbmq.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.TransportOffer;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OffersLayoutTest {
    private static final Offers OFFERS = new Offers(
            -5,
            List.of(new TransportOffer("shm", "boot 7614 1:2 /run"), new TransportOffer("rdma", "verbs 10.0.0.1:1")));

    private static ByteBuffer body(ByteBuffer message) {
        assertThat(RbmqMessage.type(message)).isEqualTo(RbmqType.OFFERS);
        return message;
    }

    @Test
    void shouldReadWhatItWrites() {
        assertThat(OffersLayout.read(body(OffersLayout.write(OFFERS)))).isEqualTo(OFFERS);
        TransportOffer longest = new TransportOffer("n".repeat(255), "ü".repeat(512));
        assertThat(OffersLayout.fits(longest)).isTrue();
        Offers most = new Offers(1, Collections.nCopies(OffersLayout.MAX_COUNT, longest));
        assertThat(OffersLayout.read(body(OffersLayout.write(most)))).isEqualTo(most);
        assertThat(OffersLayout.fits(new TransportOffer("n", "p".repeat(1025)))).isFalse();
    }

    @Test
    void shouldRefuseEveryTruncation() {
        ByteBuffer message = OffersLayout.write(OFFERS);
        for (int length = 0; length < message.limit(); length++) {
            ByteBuffer cut = message.duplicate().limit(length);
            assertThatThrownBy(() -> {
                        RbmqMessage.type(cut);
                        OffersLayout.read(cut);
                    })
                    .describedAs("length=" + length)
                    .isInstanceOf(TransportException.class);
        }
    }

    @Test
    void shouldRefuseNoneAndTooManyListeners() {
        for (int count : new int[] {0, OffersLayout.MAX_COUNT + 1, 255}) {
            ByteBuffer body = body(OffersLayout.write(OFFERS));
            body.put(body.position() + 8, (byte) count);
            assertThatThrownBy(() -> OffersLayout.read(body))
                    .hasMessageContaining("OFFERS has " + count + " listeners");
        }
    }

    @Test
    void shouldIgnoreDataAfterTheListenersAndReplaceControlCharacters() {
        ByteBuffer written = OffersLayout.write(new Offers(1, List.of(new TransportOffer("a\nb", "c\u001b[2J"))));
        ByteBuffer longer =
                ByteBuffer.allocate(written.remaining() + 3).put(written).position(0);
        assertThat(OffersLayout.read(body(longer)).listeners())
                .containsExactly(new TransportOffer("a\ufffdb", "c\ufffd[2J"));
    }
}
