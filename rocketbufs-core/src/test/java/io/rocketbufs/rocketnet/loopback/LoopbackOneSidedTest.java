package io.rocketbufs.rocketnet.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.rocketnet.Capabilities.Operation;
import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.WriteRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the RDMA-like transport, in which the sender addresses remote memory and completions arrive later. */
@Timeout(600)
class LoopbackOneSidedTest {
    private static final LoopbackOptions OPTIONS = LoopbackOptions.oneSided().window(3);

    @Test
    void shouldCompleteInOrderAndThenBeWritable() {
        try (LoopbackPair pair = new LoopbackPair(OPTIONS)) {
            pair.link.toServer().hold();
            for (int i = 0; i < 3; i++) {
                assertThat(pair.client.write(i, 10 * i, 10)).isEqualTo(PostResult.POSTED);
            }
            assertThat(pair.client.write(3, 30, 10)).isEqualTo(PostResult.NO_WINDOW);
            assertThat(pair.client.send("x")).isEqualTo(PostResult.NO_WINDOW);
            assertThat(pair.client.progress()).isZero();
            assertThat(pair.client.connection().withdraw()).isEqualTo(-1);
            pair.awaitQuiet();
            assertThat(pair.client.events()).isEmpty();
            pair.link.toServer().resume();
            pair.awaitQuiet();
            assertThat(pair.client.completions()).isEqualTo(3);
            assertThat(pair.client.events()).contains("writable");
            assertThat(pair.server.arrivals()).containsExactly("arrived 0 10", "arrived 1 10", "arrived 2 10");
            assertThat(pair.server.received()).isEqualTo(30);
        }
    }

    @Test
    void shouldLandAndCompleteWhileTheReceiversWorkerIsBusy() {
        try (LoopbackPair pair = new LoopbackPair(OPTIONS)) {
            CountDownLatch landed = new CountDownLatch(1);
            CountDownLatch started = new CountDownLatch(1);
            pair.server.connection().worker().execute(() -> {
                started.countDown();
                awaitUninterrupted(landed);
            });
            awaitUninterrupted(started);
            pair.client.write(1, 0, 10);
            while (pair.client.completions() == 0) {
                Thread.onSpinWait();
            }
            assertThat(pair.server.received()).isEqualTo(10);
            assertThat(pair.server.events()).isEmpty();
            landed.countDown();
            pair.awaitQuiet();
            assertThat(pair.server.arrivals()).containsExactly("arrived 1 10");
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldReportNoLengthWhenDisabled() {
        try (LoopbackPair pair = new LoopbackPair(OPTIONS.lengthWithArrival(false))) {
            pair.client.write(1, 0, 10);
            pair.awaitQuiet();
            assertThat(pair.server.arrivals()).containsExactly("arrived 1 -1");
        }
    }

    @Test
    void shouldLoseTheUpperBitsOfImmediateDataWhenFewerArrive() {
        try (LoopbackPair pair = new LoopbackPair(OPTIONS.immediateBits(8))) {
            pair.client.write(0x1ff, 0, 10);
            pair.awaitQuiet();
            assertThat(pair.server.arrivals()).containsExactly("arrived 255 10");
        }
    }

    @Test
    void shouldCopyShortWritesImmediatelyWhenInjecting() {
        try (LoopbackPair pair = new LoopbackPair(OPTIONS.injectLength(16))) {
            pair.link.toServer().hold();
            assertThat(pair.client.write(1, 0, 16)).isEqualTo(PostResult.SENT);
            pair.client.sourceBytes.put(0, (byte) 99);
            assertThat(pair.client.write(2, 16, 17)).isEqualTo(PostResult.POSTED);
            pair.link.toServer().resume();
            pair.awaitQuiet();
            assertThat(pair.server.received()).isEqualTo(33);
            assertThat(pair.client.completions()).isEqualTo(1);
        }
    }

    @Test
    void shouldGatherSeveralVecsWhenAllowed() {
        try (LoopbackPair pair = new LoopbackPair(OPTIONS.vecsPerWrite(2))) {
            WriteRequest request = pair.client.request(1, 0, 10);
            request.vecs().add(pair.client.sourceBytes.duplicate(), 10, 5, pair.client.source.address() + 10);
            assertThat(request.vecs().count()).isEqualTo(2);
            pair.client.write(request);
            pair.awaitQuiet();
            assertThat(pair.server.received()).isEqualTo(15);
        }
    }

    @Test
    void shouldFailBothSidesWhenTheKeyIsRevoked() {
        try (LoopbackPair pair = new LoopbackPair(OPTIONS)) {
            pair.server.connection().revoke(pair.server.access());
            pair.client.write(1, 0, 10);
            pair.awaitQuiet();
            assertBothRefused(pair);
            assertThat(pair.server.received()).isZero();
        }
    }

    @Test
    void shouldStoreNumbersInOrderWithoutNotification() {
        try (LoopbackPair pair = new LoopbackPair(OPTIONS)) {
            LentWord word = pair.server.connection().lendWord();
            List<Long> seen = new ArrayList<>();
            pair.server.onArrival(() -> seen.add(word.value()));
            assertThat(word.value()).isZero();
            pair.link.toServer().hold();
            assertThat(pair.client.writeWord(word.access(), -5)).isEqualTo(PostResult.SENT);
            pair.client.write(1, 0, 10);
            assertThat(pair.client.writeWord(word.access(), 1L << 40)).isEqualTo(PostResult.SENT);
            assertThat(pair.client.writeWord(word.access(), 7)).isEqualTo(PostResult.NO_WINDOW);
            pair.link.toServer().allow(8 + 10 + 7);
            pair.awaitQuiet();
            assertThat(word.value()).isEqualTo(-5);
            pair.link.toServer().resume();
            pair.awaitQuiet();
            assertThat(word.value()).isEqualTo(1L << 40);
            assertThat(seen).containsExactly(-5L);
            assertThat(pair.client.completions()).isEqualTo(1);
            assertThat(pair.client.events()).contains("writable");
            assertThat(pair.server.events()).containsExactly("arrived 1 10", "arrivalsEnd");
            pair.server.onWorker(word::takeBack);
        }
    }

    @Test
    void shouldFailBothSidesAndKeepTheNumberWhenTheWordIsTakenBack() {
        try (LoopbackPair pair = new LoopbackPair(OPTIONS)) {
            LentWord word = pair.server.connection().lendWord();
            pair.client.writeWord(word.access(), 5);
            pair.awaitQuiet();
            pair.server.onWorker(word::takeBack);
            pair.client.writeWord(word.access(), 6);
            pair.awaitQuiet();
            assertBothRefused(pair);
            assertThat(word.value()).isEqualTo(5);
        }
    }

    @Test
    void shouldHaveNoWordsWhenDisabled() {
        try (LoopbackPair pair = new LoopbackPair(OPTIONS.words(false))) {
            TransportConnection connection = pair.client.connection();
            assertThat(connection.capabilities().operations()).doesNotContain(Operation.WRITE_WORD);
            assertThatThrownBy(connection::lendWord).isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(() -> connection.writeWord(RemoteAccess.NONE, 1))
                    .isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @Test
    void shouldFailBothSidesWhenTheGrantIsShorter() {
        try (LoopbackPair pair = new LoopbackPair(OPTIONS)) {
            RemoteAccess narrow = pair.server.connection().grant(pair.server.sink, 0, 100);
            RemoteBuffer remote = pair.client.connection().remoteBuffer(narrow, LoopbackPeer.CAPACITY);
            WriteRequest request = pair.client.request(1, 0, 10).set(pair.client.source, remote, 91, 1);
            request.vecs().add(pair.client.sourceBytes, 0, 10, pair.client.source.address());
            pair.client.write(request);
            pair.awaitQuiet();
            assertBothRefused(pair);
        }
    }

    private static void assertBothRefused(LoopbackPair pair) {
        assertThat(pair.client.events()).containsExactly("failed PROTOCOL", "closed");
        assertThat(pair.server.events()).containsExactly("failed PROTOCOL", "closed");
    }

    @Test
    void shouldWriteNothingAfterRevokeReturned() {
        try (LoopbackPair pair = new LoopbackPair(OPTIONS)) {
            pair.link.toServer().allow(5_000);
            pair.client.write(1, 0, 10_000);
            pair.awaitQuiet();
            pair.server.connection().revoke(pair.server.access());
            pair.link.toServer().resume();
            pair.awaitQuiet();
            assertThat(pair.server.received()).isEqualTo(5_000);
            assertBothRefused(pair);
        }
    }
}
