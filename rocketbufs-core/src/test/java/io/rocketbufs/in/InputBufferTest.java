package io.rocketbufs.in;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.out.Expected;
import io.rocketbufs.out.Fanout;
import io.rocketbufs.out.Outputs;
import io.rocketbufs.out.SlowWatch;
import io.rocketbufs.out.StubSubscriber;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.stub.StubConnection;
import io.rocketbufs.rocketnet.stub.StubPeer;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.session.Session;
import io.rocketbufs.session.StubOwner;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.GapLayout;
import io.rocketbufs.wire.PositionLayout;
import io.rocketbufs.wire.SubscribedLayout;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InputBufferTest implements StubOwner, StubSink {
    private static final int CAPACITY = 100;

    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final StubWorker worker = new StubWorker();
    private final StubConnection connection = new StubConnection(worker, StubTransport.socket(Integer.MAX_VALUE), 7);
    private final Session endpoint = new Session(connection, this, SETTINGS, pool);
    private final StubPeer peer = new StubPeer(connection);
    private final Inputs inputs = endpoint.receiveInto(this);
    private final List<String> events = new ArrayList<>();
    private Runnable onData = () -> {};

    InputBufferTest() {
        connection.handledBy(endpoint);
        endpoint.greet(2, new byte[0]);
        worker.run();
    }

    @AfterEach
    void closePool() {
        pool.close();
    }

    @Override
    public void dataIn(InputBuffer buffer, long position, long length) {
        events.add("data " + position + " " + length);
        onData.run();
    }

    @Override
    public void gap(InputBuffer buffer, long position, long lost) {
        events.add("gap " + position + " " + lost);
    }

    @Override
    public void ended(InputBuffer buffer, String failure) {
        events.add("end " + failure);
    }

    private InputBuffer subscribe() {
        return subscribe(CAPACITY);
    }

    private InputBuffer subscribe(int capacity) {
        InputBuffer buffer = inputs.subscribe(5, capacity, SubscribeOptions.DEFAULTS.withTransferLimit(capacity));
        worker.run();
        assertThat(buffer.subscribed()).isCompleted();
        return buffer;
    }

    private void send(int length) {
        worker.run(() -> peer.send(length));
    }

    private static void assertViolation(ThrowingCallable call, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        TransportException.class, e -> assertThat(e.code()).isEqualTo(TransportException.Code.PROTOCOL))
                .hasMessageContaining(message);
    }

    @Test
    void shouldReportWholeDeliveries() {
        InputBuffer buffer = subscribe();
        send(10);
        worker.run(() -> peer.write(20, true));
        assertThat(buffer.receivedPosition()).isEqualTo(10);
        send(5);
        assertThat(events).containsExactly("data 0 10", "data 10 25");
        assertThat(buffer.receivedPosition()).isEqualTo(35);
    }

    @Test
    void shouldPlaceNewDataAfterReceivedData() {
        InputBuffer buffer = subscribe();
        send(70);
        buffer.consume(70);
        Vecs vecs = new Vecs(2);
        buffer.place(50, vecs);
        assertThat(vecs.offset(0)).isEqualTo(70);
        assertThat(vecs.length(0)).isEqualTo(30);
        assertThat(vecs.offset(1)).isZero();
        assertThat(vecs.length(1)).isEqualTo(20);
    }

    @Test
    void shouldReuseTheStartOfItsMemoryWhenAllDataIsConsumed() {
        InputBuffer buffer = subscribe(1 << 20);
        assertThat(highestOffset(buffer, () -> buffer.consume(1000))).isLessThan(32 << 10);
    }

    @Test
    void shouldNotReuseItsMemoryWhileDataIsUnconsumed() {
        InputBuffer buffer = subscribe(1 << 20);
        send(1);
        assertThat(highestOffset(buffer, () -> buffer.consume(1000))).isEqualTo(99_001);
        buffer.consume(1);
        assertThat(highestOffset(buffer, () -> buffer.consume(1000))).isBetween(100_001L, 140_000L);
    }

    @Test
    void shouldReuseItsMemoryWhenAllSubscriptionsOfItsSpliceHavePassed() {
        InputBuffer buffer = subscribe(1 << 20);
        Fanout fanout = splice(buffer);
        Expected expected = fanout.expect(null);
        assertThat(highestOffset(buffer, () -> {})).isEqualTo(99_000);
        expected.end();
        assertThat(highestOffset(buffer, () -> {})).isBetween(100_000L, 140_000L);
    }

    @Test
    void shouldNotReuseItsMemoryWhenOldDataStaysReadable() {
        inputs.subscribe(5, 1 << 20, SubscribeOptions.DEFAULTS.withTransferLimit(CAPACITY));
        peer.overwriting();
        worker.run();
        InputBuffer buffer = inputs.get(5);
        assertThat(highestOffset(buffer, () -> buffer.consume(1000))).isEqualTo(99_000);
    }

    /** Returns the highest offset used by 100 arriving transfers of 1,000 bytes each. */
    private long highestOffset(InputBuffer buffer, Runnable afterEach) {
        long highest = 0;
        for (int i = 0; i < 100; i++) {
            send(1000);
            highest = Math.max(highest, buffer.memory().offset(buffer.receivedPosition() - 1000));
            afterEach.run();
        }
        return highest;
    }

    @Test
    void shouldReportAtEveryQuarter() {
        InputBuffer buffer = subscribe();
        send(100);
        for (int i = 0; i < 4; i++) {
            buffer.consume(24);
            assertThat(peer.creditCount()).isEqualTo(i);
            buffer.consume(1);
            assertThat(peer.consumedPosition()).isEqualTo(25 * (i + 1));
        }
        assertThat(peer.creditCount()).isEqualTo(4);
    }

    @Test
    void shouldReportARequestedPosition() {
        InputBuffer buffer = subscribe();
        send(20);
        peer.tell(ControlType.STARVING, body -> PositionLayout.put(body, 0, 5));
        buffer.consume(4);
        assertThat(peer.creditCount()).isZero();
        buffer.consume(2);
        assertThat(peer.consumedPosition()).isEqualTo(6);
        buffer.consume(3);
        assertThat(peer.creditCount()).isEqualTo(1);
        peer.tell(ControlType.STARVING, body -> PositionLayout.put(body, 0, 9));
        assertThat(peer.consumedPosition()).isEqualTo(9);
    }

    @Test
    void shouldReportToASenderThatWaitsBeforeItUnsubscribesAndAcceptWhatTheReportAllows() {
        InputBuffer buffer = subscribe();
        send(100);
        peer.tell(ControlType.STARVING, body -> PositionLayout.put(body, 0, 50));
        buffer.consume(20);
        assertThat(peer.creditCount()).isZero();
        inputs.unsubscribe(5);
        worker.run();
        assertThat(peer.consumedPosition()).isEqualTo(20);
        buffer.place(20, new Vecs(2));
        assertViolation(() -> buffer.place(21, new Vecs(2)), "credit for 20");
    }

    @Test
    void shouldRefuseToConsumeMoreThanIsReceived() {
        InputBuffer buffer = subscribe();
        send(10);
        assertThatThrownBy(() -> buffer.consume(11)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> buffer.consume(-1)).isInstanceOf(IllegalArgumentException.class);
        buffer.consume(10);
        assertThatThrownBy(() -> buffer.consume(1)).hasMessageContaining("received=0");
    }

    @Test
    void shouldRejectWritesWithoutCredit() {
        InputBuffer buffer = subscribe();
        send(100);
        assertViolation(() -> buffer.place(1, new Vecs(2)), "credit for 0");
        buffer.consume(24);
        assertViolation(() -> buffer.place(1, new Vecs(2)), "credit for 0");
        buffer.consume(1);
        buffer.place(25, new Vecs(2));
        assertViolation(() -> buffer.place(26, new Vecs(2)), "credit for 25");
    }

    @Test
    void shouldRejectUnplacedArrivalsWithoutCredit() {
        subscribe();
        assertViolation(() -> endpoint.arrived(0, 101), "credit for");
    }

    @Test
    void shouldRejectATransferInPiecesThatExceedsTheCapacity() {
        overwriting();
        worker.run(() -> peer.write(60, true));
        worker.run(() -> peer.write(40, true));
        assertViolation(() -> peer.write(1, true), "more than the capacity 100");
    }

    private InputBuffer overwriting() {
        InputBuffer buffer = inputs.subscribe(5, CAPACITY, SubscribeOptions.DEFAULTS.withTransferLimit(CAPACITY));
        peer.overwriting();
        worker.run();
        assertThat(buffer.isOverwriting()).isTrue();
        return buffer;
    }

    @Test
    void shouldOverwriteWithoutCreditAndReportTheLimit() {
        InputBuffer buffer = overwriting();
        send(80);
        assertThat(buffer.overwriteLimit()).isZero();
        worker.run(() -> peer.write(40, true));
        assertThat(buffer.overwriteLimit()).isEqualTo(20);
        assertThat(buffer.receivedPosition()).isEqualTo(80);
        send(10);
        assertThat(buffer.overwriteLimit()).isEqualTo(30);
        assertThat(peer.creditCount()).isZero();
    }

    @Test
    void shouldRefuseAnEmptyTransfer() {
        subscribe();
        assertViolation(() -> endpoint.arrived(0, 0), "empty");
    }

    @Test
    void shouldRefuseAnUnknownTag() {
        subscribe();
        assertViolation(() -> endpoint.arrived(1, 1), "tag 1");
        assertViolation(() -> endpoint.place(1 << 29, 1, new Vecs(2)), "tag 536870912");
    }

    @Test
    void shouldRejectASecondAcceptance() {
        subscribe();
        assertViolation(
                () -> peer.tell(ControlType.SUBSCRIBED, body -> {
                    SubscribedLayout.putKind(body, 0, false, false);
                    SubscribedLayout.putWord(body, 0, 0);
                    SubscribedLayout.putPositions(body, 0, 0);
                }),
                "twice");
    }

    @Test
    void shouldDropThePartOfATransferThatAGapTruncates() {
        InputBuffer buffer = subscribe();
        send(10);
        worker.run(() -> peer.write(20, true));
        peer.tell(ControlType.GAP, body -> GapLayout.put(body, 0, 10, 70));
        send(5);
        assertThat(events).containsExactly("data 0 10", "gap 10 70", "data 10 5");
        assertThat(buffer.state().lostLength()).isEqualTo(70);
    }

    @Test
    void shouldRejectAnInvalidGap() {
        subscribe();
        send(10);
        worker.run(() -> peer.write(20, true));
        assertViolation(() -> peer.tell(ControlType.GAP, body -> GapLayout.put(body, 0, 9, 1)), "gap at position 9");
        assertViolation(() -> peer.tell(ControlType.GAP, body -> GapLayout.put(body, 0, 31, 1)), "gap at position 31");
        assertViolation(() -> peer.tell(ControlType.GAP, body -> GapLayout.put(body, 0, 10, -1)), "lost=-1");
    }

    @Test
    void shouldConsumeAutomaticallyWhenSplicedWithoutSubscribers() {
        InputBuffer buffer = subscribe();
        splice(buffer);
        for (int i = 0; i < 20; i++) {
            send(20);
        }
        assertThat(peer.consumedPosition()).isGreaterThan(370);
        assertThatThrownBy(() -> buffer.consume(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldForwardUnconsumedDataWhenSpliced() {
        InputBuffer buffer = subscribe();
        send(10);
        send(20);
        buffer.consume(10);
        RecordingOutlet outlet = new RecordingOutlet();
        buffer.goOnTo(outlet);
        assertThat(outlet.arrivals).containsExactly(10L, 20L);
        send(30);
        assertThat(outlet.arrivals).containsExactly(10L, 20L, 30L, 30L);
        outlet.consumed = 30;
        assertThat(buffer.consumedPosition()).isEqualTo(30);
    }

    @Test
    void shouldForwardDataThatArrivesDuringTheSpliceOnce() {
        InputBuffer buffer = subscribe();
        RecordingOutlet outlet = new RecordingOutlet();
        onData = () -> {
            onData = () -> {};
            buffer.goOnTo(outlet);
        };
        send(40);
        assertThat(outlet.arrivals).containsExactly(0L, 40L);
        send(30);
        assertThat(outlet.arrivals).containsExactly(0L, 40L, 40L, 30L);
    }

    @Test
    void shouldForwardAGapInOrder() {
        InputBuffer buffer = subscribe();
        RecordingOutlet outlet = new RecordingOutlet();
        buffer.goOnTo(outlet);
        send(10);
        worker.run(() -> peer.tell(ControlType.GAP, body -> GapLayout.put(body, 0, 10, 7)));
        send(5);
        assertThat(outlet.arrivals).containsExactly(0L, 10L, -7L, 10L, 5L);
    }

    @Test
    void shouldEndAnOutletThatIsAttachedWhileTheBufferIsGivenUp() {
        InputBuffer buffer = subscribe();
        RecordingOutlet outlet = new RecordingOutlet();
        buffer.goOnTo(outlet);
        buffer.giveUp();
        assertThat(outlet.ended).isTrue();
        assertThatThrownBy(() -> buffer.goOnTo(new RecordingOutlet())).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldLetTheSubscriptionsInItsWayBeWatchedAsSoonAsTheSenderReportsThatItWaits() {
        InputBuffer buffer = subscribe();
        StubSubscriber reader = new StubSubscriber(pool, worker).to(splice(buffer), 1000);
        new SlowWatch(reader.subscription, 1, state -> {}, () -> events.add("waits"));
        send(10);
        reader.stopped();
        send(90);
        assertThat(events).doesNotContain("waits");
        worker.run(() -> peer.tell(ControlType.STARVING, body -> PositionLayout.put(body, 0, 10)));
        assertThat(events).doesNotContain("waits"); // the sender already has the credit
        worker.run(() -> peer.tell(ControlType.STARVING, body -> PositionLayout.put(body, 0, 100)));
        assertThat(events).containsOnlyOnce("waits");
    }

    private Fanout splice(InputBuffer buffer) {
        return new Outputs(1, pool, () -> false).splice(buffer, 9, BufferOptions.DEFAULTS);
    }

    @Test
    void shouldReleaseItsMemoryWhenGivenUpAndQuiet() {
        subscribe();
        assertThat(pool.allocatedLength()).isPositive();
        inputs.unsubscribe(5);
        worker.run();
        assertThat(pool.allocatedLength()).isPositive();
        peer.tell(ControlType.UNSUBSCRIBED, body -> PositionLayout.put(body, 0, 0));
        assertThat(pool.allocatedLength()).isZero();
    }

    /**
     * An outlet that records its calls: the position and length of each arrival, and the negative length of each gap.
     */
    private static final class RecordingOutlet implements Outlet {
        private final List<Long> arrivals = new ArrayList<>();
        private long consumed;
        private boolean ended;

        @Override
        public String refusalOf(boolean overwriting, boolean lossy) {
            return null;
        }

        @Override
        public void begin(long position) {}

        @Override
        public void arrived(long position, long length) {
            arrivals.add(position);
            arrivals.add(length);
        }

        @Override
        public void gap(long lost) {
            arrivals.add(-lost);
        }

        @Override
        public void announce() {}

        @Override
        public void send() {}

        @Override
        public void spaceWanted(long position) {}

        @Override
        public void end() {
            ended = true;
        }

        @Override
        public long consumedPosition() {
            return consumed;
        }
    }
}
