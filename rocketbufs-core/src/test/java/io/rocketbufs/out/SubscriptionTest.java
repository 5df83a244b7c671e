package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlType;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SubscriptionTest implements StubFanoutOwner {
    private static final int CAPACITY = 1000;

    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final StubWorker worker = new StubWorker();
    private final CircularBuffer memory = new CircularBuffer(pool.allocate(CAPACITY), CAPACITY);
    private final DeliveryLog log = new DeliveryLog(4, false);
    private final Fanout fanout = new Fanout(
            1,
            memory,
            log,
            new BufferOptions(true, true, SlowPolicy.BLOCK, 0, 1000, 1000, false, false, 4096, 0, false),
            this,
            null);
    private final StubSubscriber reader = new StubSubscriber(pool, worker);
    private Runnable onReleased = () -> {};

    @Override
    public void onReleased(long released) {
        onReleased.run();
    }

    @AfterEach
    void closePool() {
        pool.close();
    }

    private void append(int length) {
        log.reclaim(fanout.minReleased(), Long.MAX_VALUE, log.end());
        log.append(log.end(), length, log.end(), 0, null);
    }

    private void deliver(int length) {
        append(length);
        fanout.announce();
        fanout.send();
        worker.run();
    }

    @Test
    void shouldAdvanceBeforeItReportsFreeMemory() {
        reader.to(fanout, CAPACITY);
        onReleased = () -> {
            onReleased = () -> {};
            fillTheRing();
        };
        append(10);
        append(10);
        deliver(10);
        reader.consumeAll();
        deliver(7);
        assertThat(reader.writeLengths).containsExactly(30, 200, 200, 200, 7);
    }

    /** Fills the ring, as a producer can do once it has detected that all readers have passed the ring's records. */
    private void fillTheRing() {
        for (int i = 0; i < 10; i++) {
            log.reclaim(fanout.minReleased(), Long.MAX_VALUE, log.end());
            if (log.room() > 0) {
                append(200);
            }
        }
    }

    @Test
    void shouldSendWithinTheCreditAndContinueWithMore() {
        reader.to(fanout, 100);
        deliver(60);
        deliver(40);
        deliver(30);
        assertThat(reader.writeLengths).containsExactly(60, 40);
        reader.subscription.onCredit(29);
        assertThat(reader.writeLengths).hasSize(2);
        reader.subscription.onCredit(30);
        assertThat(reader.writeLengths).containsExactly(60, 40, 30);
    }

    @Test
    void shouldAskForCreditThatIsNotReportedAutomatically() {
        reader.to(fanout, 100);
        deliver(60);
        deliver(20);
        deliver(20);
        deliver(20);
        assertThat(reader.controls).doesNotContain(ControlType.STARVING);
        reader.subscription.onCredit(60);
        deliver(80);
        assertThat(reader.controls).containsOnlyOnce(ControlType.STARVING);
    }

    @Test
    void shouldRejectInvalidCredit() {
        reader.to(fanout, 100);
        deliver(60);
        assertThatThrownBy(() -> reader.subscription.onCredit(61)).isInstanceOf(TransportException.class);
        reader.subscription.onCredit(60);
        assertThatThrownBy(() -> reader.subscription.onCredit(59)).isInstanceOf(TransportException.class);
        assertThatThrownBy(() -> reader.subscription.onCredit(-1)).isInstanceOf(TransportException.class);
        reader.subscription.onCredit(60);
    }

    @Test
    void shouldEndWhenADeliveryIsTooLongForThePeer() {
        reader.to(fanout, 50);
        deliver(50);
        reader.consumeAll();
        deliver(51);
        assertThat(reader.controls).contains(ControlType.SUBSCRIPTION_FAILED);
        assertThat(fanout.subscriptions()).isEmpty();
        assertThat(fanout.minReleased()).isEqualTo(log.end());
    }

    @Test
    void shouldReportGapsInOrder() {
        reader.to(fanout, CAPACITY, SlowPolicy.SKIP);
        deliver(10);
        reader.stopped();
        deliver(20);
        assertThat(fanout.relieve(30)).isTrue();
        assertThat(fanout.minReleased()).isEqualTo(30);
        deliver(30);
        reader.goOn();
        assertThat(reader.writeLengths).containsExactly(10, 30);
        assertThat(reader.controls).endsWith(ControlType.GAP);
        assertThat(reader.subscription.state().lostLength()).isEqualTo(20);
    }

    @Test
    void shouldCountSkippedDataAsConsumedOnlyAfterThePrecedingData() {
        reader.to(fanout, CAPACITY, SlowPolicy.SKIP);
        deliver(60);
        CompletableFuture<Void> flushed = fanout.flush();
        reader.stopped();
        deliver(200);
        fanout.relieve(260);
        reader.goOn();
        assertThat(fanout.minConsumed()).isZero();
        assertThat(flushed).isNotDone();
        reader.subscription.onCredit(59);
        assertThat(fanout.minConsumed()).isEqualTo(59);
        assertThat(flushed).isNotDone();
        reader.subscription.onCredit(60);
        assertThat(fanout.minConsumed()).isEqualTo(260);
        assertThat(flushed).isCompleted();
    }

    @Test
    void shouldFinishAFlushWhenTheRemainingDataIsSkipped() {
        reader.to(fanout, CAPACITY, SlowPolicy.SKIP);
        deliver(60);
        reader.consumeAll();
        reader.stopped();
        deliver(200);
        CompletableFuture<Void> flushed = fanout.flush();
        assertThat(flushed).isNotDone();
        fanout.relieve(260);
        assertThat(flushed).isCompleted();
    }

    @Test
    void shouldLeaveWhenPostedWritesHaveCompleted() {
        reader.to(fanout, CAPACITY).answer = PostResult.POSTED;
        deliver(10);
        reader.subscription.onUnsubscribe();
        assertThat(reader.controls).endsWith(ControlType.UNSUBSCRIBED);
        assertThat(fanout.minReleased()).isZero();
        reader.endpoint.completed(1);
        assertThat(fanout.minReleased()).isEqualTo(10);
        assertThat(fanout.subscriptions()).isEmpty();
    }

    @Test
    void shouldEndAfterTheLastDelivery() {
        reader.to(fanout, 100);
        deliver(100);
        deliver(60);
        fanout.end();
        assertThat(reader.controls).doesNotContain(ControlType.END);
        reader.consumeAll();
        assertThat(reader.bytes.size()).isEqualTo(160);
        assertThat(reader.controls).endsWith(ControlType.END);
        assertThat(fanout.subscriptions()).isEmpty();
    }

    @Test
    void shouldSendTheLastDeliveryOfABufferThatEndsWhileItFindsNothingToSend() {
        DeliveryLog separate = new DeliveryLog(4, true);
        Fanout discardable = new Fanout(2, memory, separate, fanout.options(), this, null);
        reader.to(discardable, CAPACITY).stopped();
        separate.append(0, 60, 0, 0, null);
        discardable.announce();
        discardable.send();
        assertThat(separate.discard(0, discardable.minReleased())).isTrue();
        // Runs when the subscription detects that the only delivery has been discarded.
        onReleased = () -> {
            onReleased = () -> {};
            separate.append(60, 90, 60, 0, null);
            discardable.end();
        };
        reader.goOn();
        assertThat(reader.writeLengths).containsExactly(90);
        assertThat(reader.controls).endsWith(ControlType.END);
    }

    @Test
    void shouldNoticeADiscardThatArrivesJustBeforeItWaitsForCredit() {
        DeliveryLog separate = new DeliveryLog(4, true);
        Fanout discardable = new Fanout(2, memory, separate, fanout.options(), this, null);
        reader.to(discardable, 100);
        reader.connection.onSend(message -> {
            ControlType type = ControlType.of(ControlLayout.typeCode(message));
            reader.controls.add(type);
            if (type == ControlType.STARVING) {
                assertThat(separate.discard(1, discardable.minReleased())).isTrue();
                discardable.look();
            }
            return PostResult.SENT;
        });
        separate.append(0, 60, 0, 0, null);
        separate.append(60, 90, 60, 0, null);
        discardable.announce();
        discardable.send();
        assertThat(reader.controls).endsWith(ControlType.STARVING);
        discardable.end();
        assertThat(reader.controls).endsWith(ControlType.END);
    }

    @Test
    void shouldNotWaitForCreditForADeliveryDiscardedBeforeTheRequest() {
        DeliveryLog separate = new DeliveryLog(4, true);
        Fanout discardable = new Fanout(2, memory, separate, fanout.options(), this, null);
        reader.to(discardable, 100);
        separate.append(0, 60, 0, 0, null);
        discardable.announce();
        discardable.send();
        reader.stopped();
        separate.append(60, 90, 60, 0, null);
        discardable.announce();
        discardable.send();
        assertThat(separate.discard(1, discardable.minReleased())).isTrue();
        discardable.look();
        reader.goOn();
        discardable.end();
        assertThat(reader.controls).endsWith(ControlType.END);
    }

    @Test
    void shouldAllowTheConnectionToCloseWhenSkippingFails() {
        reader.to(fanout, CAPACITY, SlowPolicy.SKIP).answer = PostResult.POSTED;
        reader.connection.withdrawn(1);
        deliver(10);
        onReleased = () -> {
            throw new IllegalStateException("a bug in the application");
        };
        fanout.relieve(10);
        onReleased = () -> {};
        worker.run();
        assertThat(reader.connection.isClosed()).isTrue();
    }
}
