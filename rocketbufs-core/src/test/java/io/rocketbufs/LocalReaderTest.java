package io.rocketbufs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.Start;
import io.rocketbufs.options.SubscribeOptions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of a reader of a 1000-byte output buffer in the same process. */
@Timeout(600)
final class LocalReaderTest {
    private final TwoProcesses processes = new TwoProcesses();
    private final ROut out = processes.out;

    @AfterEach
    void close() {
        processes.close();
    }

    private LocalReader open(BufferOptions options, boolean skips) {
        out.createBuffer(1, 1000, options);
        return out.openReader(1, skips);
    }

    private LocalReader open() {
        return open(BufferOptions.DEFAULTS, false);
    }

    private void deliver(int first, int length) {
        Segment segment = out.getOutputSegment(1, length, false);
        assertThat(segment.vecCount()).isPositive();
        for (int i = 0; i < length; i++) {
            segment.putByte(i, (byte) (first + i));
        }
        out.deliver(segment, length);
    }

    private Collected subscriber() throws Exception {
        Collected received = Collected.by(processes.connect());
        received.in().subscribe(1, 1000).get(60, TimeUnit.SECONDS);
        return received;
    }

    @Test
    void shouldReadWhatIsDeliveredAfterItWasOpenedAroundTheEndOfTheBuffer() {
        out.createBuffer(1, 1000);
        deliver(0, 100);
        LocalReader reader = out.openReader(1, false);
        assertThat(reader.next().length()).isZero();
        int sent = 0;
        int read = 0;
        for (int round = 0; round < 50; round++) {
            int length = 1 + round * 37 % 400;
            deliver(sent, length);
            sent += length;
            while (read < sent) {
                Segment next = reader.next();
                int taken = (int) Math.min(next.length(), 1 + round % 3 * 50);
                for (int i = 0; i < taken; i++) {
                    assertThat(next.getByte(i)).isEqualTo((byte) (read + i));
                }
                reader.consume(taken);
                read += taken;
            }
            assertThat(reader.next().length()).isZero();
        }
        assertThat(reader.position()).isEqualTo(100 + sent);
        assertThat(reader.takeLost()).isZero();
    }

    @Test
    void shouldMakeTheProducerWaitUntilItHasConsumed() {
        LocalReader reader = open();
        deliver(0, 600);
        assertThat(reader.isInTheWay()).isFalse();
        assertThat(out.getOutputSegment(1, 500, false)).isSameAs(Segment.NO_SPACE);
        assertThat(reader.isInTheWay()).isTrue();
        reader.consume(99);
        assertThat(out.getOutputSegment(1, 500, false)).isSameAs(Segment.NO_SPACE);
        reader.consume(1);
        deliver(600, 500);
        assertThat(reader.pendingLength()).isEqualTo(1000);
        assertThatThrownBy(() -> reader.consume(1001)).hasMessageContaining("length=1001 readable=1000");
        reader.close();
        reader.close();
        deliver(0, 1000);
    }

    @Test
    void shouldSkipToTheEndWhenTheProducerNeedsTheMemory() {
        LocalReader reader = open(BufferOptions.DEFAULTS, true);
        deliver(0, 600);
        reader.consume(10);
        deliver(0, 500);
        assertThat(reader.takeLost()).isEqualTo(590);
        assertThat(reader.takeLost()).isZero();
        assertThat(reader.next().length()).isEqualTo(500);
    }

    @Test
    void shouldSkipInABufferWhoseProducerNeverWaits() {
        LocalReader reader = open(BufferOptions.DEFAULTS.withFlowControl(false), false);
        for (int i = 0; i < 10; i++) {
            deliver(i, 300);
        }
        assertThat(reader.takeLost() + reader.pendingLength()).isEqualTo(3000);
        assertThat(reader.pendingLength()).isBetween(300L, 1000L);
    }

    @Test
    void shouldReadOnAfterTheBufferWasRemoved() {
        LocalReader reader = open();
        deliver(7, 100);
        out.removeBuffer(1);
        assertThat(reader.isAtEnd()).isFalse();
        assertThatThrownBy(() -> out.createBuffer(1, 1000)).hasMessageContaining("still being drained");
        assertThat(reader.next().getByte(99)).isEqualTo((byte) 106);
        reader.consume(100);
        assertThat(reader.isAtEnd()).isTrue();
        reader.close();
        out.createBuffer(1, 1000);
    }

    @Test
    void shouldKnowWhatTheLostSubscriberHadConsumed() throws Exception {
        LocalReader reader = open();
        assertThat(reader.consumedBySubscribers()).isZero();
        Collected received = subscriber().holding();
        deliver(0, 900);
        await().until(() -> received.length() == 900);
        received.in().dataConsumed(1, 400); // more than a quarter, so it is reported
        await().until(() -> reader.consumedBySubscribers() == 400);
        received.in().connection().close();
        await().until(() -> out.subscriptionCount(1) == 0);
        assertThat(reader.consumedBySubscribers()).isEqualTo(400);
        reader.consume(400);
        assertThat(reader.next().length()).isEqualTo(500);
        assertThat(reader.next().getByte(0)).isEqualTo((byte) 400);
    }

    @Test
    void shouldKnowExactlyWhatASubscriberHadConsumedThatLeft() throws Exception {
        LocalReader reader = open();
        Collected received = subscriber().holding();
        deliver(0, 100);
        CompletableFuture<Void> flushed = out.flush(1);
        await().until(() -> received.length() == 100);
        received.in().dataConsumed(1, 30); // less than a quarter, and less than the flush needs
        received.in().unsubscribe(1).get(60, TimeUnit.SECONDS);
        await().until(() -> out.subscriptionCount(1) == 0);
        assertThat(reader.consumedBySubscribers()).isEqualTo(30);
        await().until(flushed::isDone);
    }

    @Test
    void shouldKnowWhatASubscriberHadConsumedThatLeftBetweenTwoRequests() throws Exception {
        LocalReader reader = open();
        Collected received = subscriber().holding();
        deliver(0, 100);
        CompletableFuture<Void> flushed = out.flush(1);
        await().until(() -> received.length() == 100);
        received.in().dataConsumed(1, 100);
        flushed.get(60, TimeUnit.SECONDS);
        deliver(100, 100);
        await().until(() -> received.length() == 200);
        received.in().dataConsumed(1, 30); // no request is open
        received.in().unsubscribe(1).get(60, TimeUnit.SECONDS);
        await().until(() -> out.subscriptionCount(1) == 0);
        assertThat(reader.consumedBySubscribers()).isEqualTo(130);
    }

    @Test
    void shouldGetAReportOfAPartOfWhatAFlushWaitsFor() throws Exception {
        LocalReader reader = open();
        Collected received = subscriber().holding();
        deliver(0, 100);
        CompletableFuture<Void> flushed = out.flush(1);
        reader.requestReport(10);
        await().until(() -> received.length() == 100);
        received.in().dataConsumed(1, 10);
        await().until(() -> reader.consumedBySubscribers() == 10);
        assertThat(flushed).isNotDone();
        received.in().dataConsumed(1, 90);
        flushed.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldReadSmallDeliveriesTogether() {
        LocalReader reader = open();
        for (int i = 0; i < 10; i++) {
            deliver(i, 1);
        }
        assertThat(reader.next().length()).isEqualTo(10);
        assertThat(reader.next().getByte(9)).isEqualTo((byte) 9);
    }

    @Test
    void shouldReadNothingAfterItWasClosed() {
        LocalReader reader = open();
        deliver(0, 100);
        assertThat(reader.isAtEnd()).isFalse();
        reader.close();
        assertThat(reader.next().length()).isZero();
        assertThat(reader.pendingLength()).isZero();
        assertThat(reader.isAtEnd()).isTrue();
        assertThat(reader.isInTheWay()).isFalse();
        assertThatThrownBy(() -> reader.consume(1)).hasMessageContaining("length=1 readable=0");
    }

    @Test
    void shouldNotKeepDataForSubscribersThatBeginWithOlderData() throws Exception {
        open();
        deliver(0, 100);
        Collected late = Collected.by(processes.connect());
        late.in()
                .subscribe(1, 1000, SubscribeOptions.DEFAULTS.withStart(Start.OLDEST))
                .get(60, TimeUnit.SECONDS);
        deliver(100, 10);
        await().until(() -> late.length() > 0);
        assertThat(late.bytes()).hasSize(10).startsWith((byte) 100);
    }

    @Test
    void shouldReportAGapToSubscribers() throws Exception {
        open();
        Collected received = subscriber();
        deliver(0, 10);
        out.addGap(1, 77);
        deliver(10, 10);
        await().until(() -> received.length() == 20);
        assertThat(received.events()).containsExactly("gap buffer=1 position=10 lost=77");
    }
}
