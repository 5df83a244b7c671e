package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWord;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlType;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the sending side of credit reports that the receiver writes to a word. */
class CreditWordTest implements StubFanoutOwner {
    private static final int CAPACITY = 1000;
    private static final long STALL_MS = 1000;

    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final StubWorker worker = new StubWorker();
    private final CircularBuffer memory = new CircularBuffer(pool.allocate(CAPACITY), CAPACITY);
    private final DeliveryLog log = new DeliveryLog(16, false);
    private final Fanout fanout = fanout(true);
    private final StubSubscriber reader = new StubSubscriber(pool, worker, StubTransport.words());

    private Fanout fanout(boolean flowControl) {
        return new Fanout(
                1,
                memory,
                log,
                new BufferOptions(flowControl, true, SlowPolicy.BLOCK, 0, 1000, STALL_MS, false, false, 4096, 0, false),
                this,
                null);
    }

    @AfterEach
    void closePool() {
        pool.close();
    }

    private void deliver(int length) {
        log.append(log.end(), length, log.end(), 0, null);
        fanout.announce();
        fanout.send();
        worker.run();
    }

    private StubWord word() {
        return reader.connection.words().get(0);
    }

    private void tick(long elapsedMs) {
        worker.run(() -> reader.subscription.tick(elapsedMs));
    }

    @Test
    void shouldSendAsMuchAsTheWordAllowsWithoutAnyMessage() {
        reader.to(fanout, 100);
        for (int i = 0; i < 10; i++) {
            deliver(25);
            word().write(25 * (i + 1));
        }
        assertThat(reader.writeLengths).hasSize(10);
        assertThat(reader.controls).doesNotContain(ControlType.STARVING);
    }

    @Test
    void shouldTakeCreditFromMessagesWhenTheConnectionHasNoMoreWords() {
        reader.connection.lendNoWords();
        reader.to(fanout, 100);
        deliver(60);
        deliver(40);
        deliver(1);
        assertThat(reader.subscription.word().access()).isEqualTo(RemoteAccess.NONE);
        assertThat(reader.writeLengths).containsExactly(60, 40);
        reader.subscription.onCredit(60);
        assertThat(reader.writeLengths).containsExactly(60, 40, 1);
        worker.run(reader.subscription::onUnsubscribe);
        assertThat(reader.subscription.life().isSilent()).isTrue();
    }

    @Test
    void shouldAskOnceBeforeItParks() {
        reader.to(fanout, 100);
        deliver(60);
        deliver(40);
        assertThat(reader.controls).doesNotContain(ControlType.STARVING);
        deliver(1);
        deliver(1);
        assertThat(reader.controls).containsOnlyOnce(ControlType.STARVING);
        assertThat(reader.subscription.isParked()).isTrue();
        reader.subscription.onCredit(60);
        assertThat(reader.writeLengths).containsExactly(60, 40, 2);
    }

    @Test
    void shouldAskForAQuarterWhenThatMuchWasSent() {
        reader.to(fanout, 100);
        deliver(60);
        deliver(40);
        deliver(1);
        assertThat(reader.asked).containsExactly(25L);
    }

    @Test
    void shouldAskForNoMoreThanItNeedsWhenLessThanAQuarterIsLeft() {
        reader.to(fanout, 100);
        deliver(20);
        deliver(90);
        assertThat(reader.asked).containsExactly(10L);
    }

    @Test
    void shouldAskAgainWhenTheAnswerFallsShort() {
        reader.to(fanout, 100);
        deliver(20);
        deliver(90);
        reader.subscription.onCredit(5);
        assertThat(reader.asked).containsExactly(10L, 10L);
    }

    @Test
    void shouldReadTheWordAgainAfterARequest() {
        reader.to(fanout, 100);
        reader.connection.onSend(message -> {
            if (ControlType.of(ControlLayout.typeCode(message)) == ControlType.STARVING) {
                word().write(60);
            }
            return PostResult.SENT;
        });
        deliver(60);
        deliver(40);
        deliver(30);
        assertThat(reader.writeLengths).containsExactly(60, 40, 30);
    }

    @Test
    void shouldAcceptAMessageThatIsOlderThanTheWord() {
        reader.to(fanout, 100);
        deliver(60);
        word().write(50);
        tick(1);
        reader.subscription.onCredit(20);
        reader.subscription.onCredit(30);
        assertThat(fanout.minConsumed()).isEqualTo(50);
    }

    @Test
    void shouldRejectAMessageThatIsOlderThanAnEarlierMessage() {
        reader.to(fanout, 100);
        deliver(60);
        reader.subscription.onCredit(30);
        assertThatThrownBy(() -> reader.subscription.onCredit(29)).isInstanceOf(TransportException.class);
    }

    @Test
    void shouldUseAMessageThatIsNewerThanTheWord() {
        reader.to(fanout, 100);
        deliver(60);
        word().write(20);
        reader.subscription.onCredit(40);
        tick(1);
        assertThat(fanout.minConsumed()).isEqualTo(40);
    }

    @Test
    void shouldIgnoreAWordThatMovesBackwards() {
        reader.to(fanout, 100);
        deliver(60);
        word().write(50);
        tick(1);
        word().write(-1);
        deliver(50);
        assertThat(reader.writeLengths).containsExactly(60, 50);
        assertThat(fanout.minConsumed()).isEqualTo(50);
        assertThat(reader.connection.isClosed()).isFalse();
    }

    @Test
    void shouldEndTheConnectionWhenTheWordClaimsUnsentData() {
        reader.to(fanout, 100);
        deliver(60);
        word().write(61);
        deliver(10);
        assertWrongClaim();
        assertThat(fanout.minConsumed()).isZero();
    }

    @Test
    void shouldDetectAWrongClaimEvenIfNothingIsSent() {
        reader.to(fanout, 100);
        deliver(60);
        word().write(61);
        tick(1);
        assertWrongClaim();
    }

    private void assertWrongClaim() {
        assertThat(reader.connection.isClosed()).isTrue();
        assertThat(reader.failure)
                .isInstanceOfSatisfying(
                        TransportException.class, e -> assertThat(e.code()).isEqualTo(TransportException.Code.PROTOCOL))
                .hasMessageContainingAll("127.0.0.1:7", "buffer 1", "up to 61");
    }

    @Test
    void shouldFinishAFlushWhenTheWordIsAlreadyUpToDate() {
        reader.to(fanout, 100);
        deliver(60);
        word().write(60);
        assertThat(fanout.flush()).isCompleted();
        assertThat(reader.controls).doesNotContain(ControlType.FLUSH);
    }

    @Test
    void shouldFinishAFlushWhenTheWordIsRead() {
        reader.to(fanout, 100);
        deliver(60);
        CompletableFuture<Void> flushed = fanout.flush();
        assertThat(reader.controls).endsWith(ControlType.FLUSH);
        word().write(60);
        tick(1);
        assertThat(flushed).isCompleted();
    }

    @Test
    void shouldFinishAFlushWithTheAnswer() {
        reader.to(fanout, 100);
        deliver(60);
        CompletableFuture<Void> flushed = fanout.flush();
        assertThat(flushed).isNotDone();
        reader.consumeAll();
        assertThat(flushed).isCompleted();
    }

    @Test
    void shouldNotTreatAPeerAsStalledWhileItsWordAdvances() {
        reader.to(fanout, 100);
        deliver(100);
        deliver(100);
        for (int i = 1; i < 10; i++) {
            word().write(i);
            tick(STALL_MS - 1);
        }
        assertThat(reader.connection.isClosed()).isFalse();
        tick(STALL_MS);
        assertThat(reader.failure).hasMessageContaining("consumed nothing");
    }

    @Test
    void shouldSendRatherThanSkipDataThatTheWordAllows() {
        reader.to(fanout, 100, SlowPolicy.SKIP);
        deliver(60);
        deliver(40);
        deliver(30);
        word().write(60);
        fanout.relieve(130);
        assertThat(reader.writeLengths).containsExactly(60, 40, 30);
        assertThat(reader.subscription.state().lostLength()).isZero();
    }

    @Test
    void shouldTakeTheWordBackOnceWhenThePeerUnsubscribes() {
        reader.to(fanout, 100);
        deliver(60);
        word().write(60);
        reader.subscription.onUnsubscribe();
        assertThat(word().isTakenBack()).isTrue();
        assertThat(reader.controls).endsWith(ControlType.UNSUBSCRIBED);
        reader.subscription.onUnsubscribe();
        reader.subscription.cut();
    }

    @Test
    void shouldKeepTheWordUntilThePeerHasConfirmedTheEnd() {
        reader.to(fanout, 100);
        deliver(60);
        fanout.end();
        assertThat(reader.controls).endsWith(ControlType.END);
        assertThat(word().isTakenBack()).isFalse();
        reader.subscription.onUnsubscribe();
        assertThat(word().isTakenBack()).isTrue();
    }

    @Test
    void shouldTakeTheWordBackWhenTheConnectionEnds() {
        reader.to(fanout, 100);
        deliver(60);
        CompletableFuture<Void> flushed = fanout.flush();
        word().write(60);
        reader.subscription.cut();
        assertThat(word().isTakenBack()).isTrue();
        assertThat(flushed).isCompleted();
    }

    @Test
    void shouldLendNoWordWhenNoCreditIsNeeded() {
        reader.to(fanout(false), 100);
        assertThat(reader.connection.words()).isEmpty();
        assertThat(reader.subscription.word().access()).isEqualTo(RemoteAccess.NONE);
        deliver(60);
    }
}
