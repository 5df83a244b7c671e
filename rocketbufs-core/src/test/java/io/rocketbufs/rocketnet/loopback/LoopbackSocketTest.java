package io.rocketbufs.rocketnet.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.rocketnet.Capabilities.Operation;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.WriteRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the TCP-like transport, in which the receiver empties a socket buffer of 1000 bytes and places the data. */
@Timeout(600)
class LoopbackSocketTest {
    private static final int CAPACITY = 1000;
    private static final int FITS = CAPACITY - LoopbackSocketPipe.HEADER_LENGTH;

    private LoopbackPair pair;

    @BeforeEach
    void open() {
        pair = new LoopbackPair(
                LoopbackOptions.socket().socketCapacity(CAPACITY).longestControl(100));
    }

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void shouldReportAWriteAsSentWhenItFits() {
        pair.link.toServer().hold();
        assertThat(pair.client.write(1, 0, FITS)).isEqualTo(PostResult.SENT);
        assertThat(pair.client.write(1, 0, 0)).isEqualTo(PostResult.NO_WINDOW);
        assertThat(pair.client.send("x")).isEqualTo(PostResult.NO_WINDOW);
        pair.link.toServer().resume();
        pair.awaitQuiet();
        assertThat(pair.client.events()).containsExactly("writable");
        assertThat(pair.server.arrivals()).containsExactly("arrived 1 " + FITS);
    }

    @Test
    void shouldCompleteByProgressWhenAWriteFitsOnlyInPart() {
        pair.link.toServer().hold();
        assertThat(pair.client.write(1, 0, 2 * FITS)).isEqualTo(PostResult.POSTED);
        assertThat(pair.client.progress()).isZero();
        assertThat(pair.client.write(2, 0, 1)).isEqualTo(PostResult.NO_WINDOW);
        pair.link.toServer().resume();
        pair.awaitQuiet();
        assertThat(pair.client.events()).containsExactly("writable");
        assertThat(pair.server.events()).containsExactly("place 1 " + 2 * FITS);
        assertThat(pair.client.progress()).isEqualTo(1);
        pair.awaitQuiet();
        assertThat(pair.server.events()).endsWith("arrived 1 " + 2 * FITS, "arrivalsEnd");
        assertThat(pair.server.received()).isEqualTo(2 * FITS);
        assertThat(pair.client.completions()).isZero();
    }

    @Test
    void shouldRefuseToPut() {
        assertThat(pair.client.connection().capabilities().operations()).doesNotContain(Operation.PUT);
        assertThatThrownBy(() -> pair.client.connection().put(new WriteRequest(1)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("cannot put");
    }

    @Test
    void shouldNeedNoProgressForWithdrawnData() {
        pair.link.toServer().hold();
        assertThat(pair.client.connection().withdraw()).isZero();
        assertThat(pair.client.write(1, 0, 3 * FITS)).isEqualTo(PostResult.POSTED);
        assertThat(pair.client.connection().withdraw()).isEqualTo(1);
        assertThat(pair.client.connection().withdraw()).isZero();
        for (int i = 0; i < 3 * FITS; i++) {
            pair.client.sourceBytes.put(i, (byte) 0);
        }
        assertThat(pair.client.write(2, 0, 1)).isEqualTo(PostResult.NO_WINDOW);
        pair.link.toServer().resume();
        pair.awaitQuiet();
        assertThat(pair.server.arrivals()).containsExactly("arrived 1 " + 3 * FITS);
        assertThat(pair.server.received()).isEqualTo(3 * FITS);
        assertThat(pair.client.events()).contains("writable");
        assertThat(pair.client.progress()).isZero();
    }

    @Test
    void shouldFailTheReceiverWhenItPlacesTooLittle() {
        pair.server.placeLess(1);
        pair.client.write(1, 0, 10);
        pair.awaitQuiet();
        assertThat(pair.server.events()).containsExactly("place 1 10", "failed PROTOCOL", "closed");
        assertThat(pair.network.takeViolations()).hasSize(1);
    }

    @Test
    void shouldFinishAfterCommittedData() {
        pair.link.toServer().hold();
        assertThat(pair.client.write(1, 0, 2 * FITS)).isEqualTo(PostResult.POSTED);
        pair.client.connection().finish();
        pair.link.toServer().resume();
        pair.awaitQuiet();
        assertThat(pair.client.progress()).isEqualTo(1);
        pair.awaitQuiet();
        assertThat(pair.server.events()).endsWith("arrived 1 " + 2 * FITS, "arrivalsEnd", "peerFinished");
    }

    @Test
    void shouldDeliverSentDataWhenTheSenderCloses() {
        pair.link.toServer().hold();
        assertThat(pair.client.write(1, 0, 100)).isEqualTo(PostResult.SENT);
        pair.client.onWorker(pair.client.connection()::close);
        assertThat(pair.client.events()).containsExactly("closed");
        pair.link.toServer().resume();
        pair.awaitQuiet();
        assertThat(pair.server.events()).containsExactly("place 1 100", "arrived 1 100", "arrivalsEnd", "peerFinished");
    }

    @Test
    void shouldLoseTheTailWhenTheSenderClosesWithUnreadData() {
        pair.link.toServer().hold();
        pair.link.toClient().hold();
        pair.client.write(1, 0, 100);
        pair.server.send("credit");
        pair.client.onWorker(pair.client.connection()::close);
        pair.link.toServer().resume();
        pair.awaitQuiet();
        assertThat(pair.server.events()).containsExactly("failed PEER_LOST", "closed");
    }

    @Test
    void shouldFailThePeerWhenAWriteIsCutOffByClose() {
        pair.link.toServer().hold();
        assertThat(pair.client.write(1, 0, 2 * FITS)).isEqualTo(PostResult.POSTED);
        pair.client.onWorker(pair.client.connection()::close);
        pair.awaitQuiet();
        assertThat(pair.server.events()).containsExactly("failed PEER_LOST", "closed");
    }
}
