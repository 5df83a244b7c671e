package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that a caller that waits for a segment receives it when space is free, and does not wait for space that cannot
 * become free.
 */
class BlockingContract {
    private static final int SUBSCRIBER = 2;

    private final Stage stage;
    private Node sending;
    private Node receiving;
    private Sent sent;
    private Thread waiting;
    private volatile boolean interrupted;

    BlockingContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        sending = stage.node();
        receiving = stage.node();
        sent = new Sent(sending.out(), 1, 0);
    }

    /** Fills a buffer of 1000 bytes and the 600-byte buffer of a subscriber that consumes nothing. */
    private Received fill() {
        sending.out().createBuffer(1, 1000);
        Received received = receiving.inbox(sending).of(1).holding().subscribe(600);
        eventually(() -> {
            sent.fill(100);
            return sent.length() == 1600;
        });
        received.awaitPosition(600);
        return received;
    }

    /** Cancels a segment, which keeps its buffer's memory in use until this call. */
    private void cancel(Segment segment) {
        assertThat(segment.vecCount()).isPositive();
        assertThat(sending.out().deliver(segment, 0)).isEqualTo(-1);
    }

    /** Starts to wait for space on a separate thread. Returns when that thread is sleeping. */
    private CompletableFuture<Segment> waitFor(int length) {
        CompletableFuture<Segment> got = new CompletableFuture<>();
        waiting = new Thread(() -> {
            try {
                Segment segment = sending.out().getOutputSegment(1, length, true);
                interrupted = Thread.currentThread().isInterrupted();
                got.complete(segment);
            } catch (RuntimeException e) {
                got.completeExceptionally(e);
            }
        });
        waiting.start();
        eventually(() -> LockSupport.getBlocker(waiting) != null);
        assertThat(got).isNotDone();
        return got;
    }

    @Test
    void shouldWaitUntilEnoughDataIsConsumed() {
        Received received = fill();
        CompletableFuture<Segment> got = waitFor(500);
        received.consume(300);
        received.awaitPosition(900);
        assertThat(got).isNotDone();
        received.consume(200);
        sent.deliver(Stage.get(got), 500);
        received.release();
        received.awaitAll(sent);
    }

    @Test
    void shouldWaitForTheSlowestSubscriber() {
        Received slow = fill();
        Received fast = receiving.inbox(sending).of(1).from(sent.length()).subscribe(1000);
        CompletableFuture<Segment> got = waitFor(100);
        slow.release();
        sent.deliver(Stage.get(got), 100);
        slow.awaitAll(sent);
        fast.awaitAll(sent);
    }

    @Test
    void shouldWaitForTheFirstSubscriberWhenDataIsHeld() {
        sending.out().createBuffer(1, 1000, BufferOptions.DEFAULTS.withHold(true));
        sent.deliver(1000);
        CompletableFuture<Segment> got = waitFor(1000);
        Received received = receiving.subscribe(sending, 1, 1000);
        sent.deliver(Stage.get(got), 1000);
        received.awaitAll(sent);
    }

    @Test
    void shouldWaitRepeatedly() {
        sending.out().createBuffer(1, 1000);
        Received received = receiving.subscribe(sending, 1, 300);
        received.awaitAll(sent.deliver(250, 100));
    }

    @Test
    void shouldEndTheWaitWhenTheBufferIsRemoved() {
        Received received = fill();
        CompletableFuture<Segment> got = waitFor(100);
        sending.out().removeBuffer(1);
        assertThat(Stage.get(got)).isSameAs(Segment.CLOSED);
        received.release();
        received.awaitEnd(sent);
    }

    @Test
    void shouldEndTheWaitWhenTheOutputCloses() {
        Received received = fill();
        CompletableFuture<Segment> got = waitFor(100);
        sending.out().close();
        assertThat(Stage.get(got)).isSameAs(Segment.CLOSED);
        received.release();
        received.awaitEnd(sent);
    }

    @Test
    void shouldEndTheWaitForTheFirstSubscriberWhenTheFrameworkCloses() {
        sending.out().createBuffer(1, 1000, BufferOptions.DEFAULTS.withHold(true));
        sent.deliver(1000);
        CompletableFuture<Segment> got = waitFor(1000);
        sending.kill();
        assertThat(Stage.get(got)).isSameAs(Segment.CLOSED);
    }

    @Test
    void shouldEndTheWaitOfAThreadThatIsInterrupted() {
        Received received = fill();
        CompletableFuture<Segment> got = waitFor(100);
        waiting.interrupt();
        assertThat(Stage.get(got)).isSameAs(Segment.INTERRUPTED);
        assertThat(interrupted).isTrue();
        received.release();
        received.awaitAll(sent.deliver(100, 20));
    }

    @Test
    void shouldEndTheWaitWhenTheSubscriberIsLost() {
        stage.expectFailures();
        fill();
        CompletableFuture<Segment> got = waitFor(1000);
        receiving.kill();
        cancel(Stage.get(got));
        assertThat(sending.out().subscriptionCount(1)).isZero();
    }

    @Test
    void shouldEndTheWaitWhenTheSubscriberCloses() {
        Received received = fill();
        CompletableFuture<Segment> got = waitFor(1000);
        received.inbox().connection().close();
        cancel(Stage.get(got));
    }

    @Test
    void shouldEndTheWaitWhenTheSubscriberUnsubscribes() {
        Received received = fill();
        CompletableFuture<Segment> got = waitFor(1000);
        Stage.get(received.inbox().in().unsubscribe(1));
        cancel(Stage.get(got));
    }

    @Test
    void shouldEndTheWaitForASubscriberThatIsStopped() {
        stage.expectFailures();
        sending = stage.node(
                Stage.hasty().withValue("rocketbufs.heartbeat-timeout", ConfigValueFactory.fromAnyRef("300 ms")));
        sending.out().createBuffer(1, 1000);
        try (RawPeer stopped = RawPeer.connect(stage.transport(Stage.config()), sending.address())) {
            stopped.helloAndSilence(SUBSCRIBER).subscribe(1, 1, 600);
            eventually(() -> sending.out().subscriptionCount(1) == 1
                    || !sending.failures().isEmpty());
            stopped.stopReading();
            Sent sent = new Sent(sending.out(), 1, 0);
            for (int i = 0; i < 10; i++) {
                sent.offer(100);
            }
            cancel(sending.out().getOutputSegment(1, 1000, true));
        }
        assertThat(sending.awaitFailures()).singleElement().asString().contains("no data received");
    }

    @Test
    void shouldEndTheWaitForASubscriberThatConsumesNothing() {
        stage.expectFailures();
        sending = stage.node(Stage.hasty());
        sent = new Sent(sending.out(), 1, 0);
        sending.out().createBuffer(1, 1000, BufferOptions.DEFAULTS.withStallTimeout(100));
        receiving.inbox(sending).of(1).holding().subscribe(600);
        sent.deliver(100, 20);
        eventually(() -> sending.failures().size() == 1);
        assertThat(sending.awaitFailures()).singleElement().asString().contains("consumed nothing");
    }

    @Test
    void shouldRefuseToWaitOnAWorker() {
        Received received = fill();
        CompletableFuture<Segment> got = new CompletableFuture<>();
        sending.lastAccepted().setControlMessageCallback(message -> {
            try {
                got.complete(sending.out().getOutputSegment(1, 100, true));
            } catch (IllegalStateException e) {
                got.completeExceptionally(e);
            }
        });
        received.inbox().in().sendControlMessage(ByteBuffer.allocate(0));
        assertThat(Stage.failureOf(got)).hasMessageContaining("worker");
        assertThat(sending.lastAccepted().isOpen()).isTrue();
    }

    @Test
    void shouldRefuseToWaitForTheCallersOwnSegments() {
        sending.out().createBuffer(1, 1000);
        Segment own = sending.out().getOutputSegment(1, 600, true);
        assertThatThrownBy(() -> sending.out().getOutputSegment(1, 600, true))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("own");
        assertThat(sending.out().deliver(own, 0)).isEqualTo(-1);
        cancel(sending.out().getOutputSegment(1, 1000, true));
    }
}
