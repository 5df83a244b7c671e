package io.rocketbufs.in;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.options.SubscribePermission;
import io.rocketbufs.out.Fanout;
import io.rocketbufs.out.Outputs;
import io.rocketbufs.out.StubSubscriber;
import io.rocketbufs.rocketnet.PostResult;
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
import io.rocketbufs.wire.SubscribeLayout;
import io.rocketbufs.wire.TextLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that no memory leaks and no data is lost if messages are out of order, callbacks throw exceptions, or
 * connections end.
 */
@Timeout(600)
final class ReceivingTroubleTest implements StubOwner, StubSink {
    private static final int CAPACITY = 100;

    private final MemoryPool pool = new MemoryPool(1 << 20);
    private final StubWorker worker = new StubWorker();
    private final StubConnection connection = new StubConnection(worker, StubTransport.socket(Integer.MAX_VALUE), 7);
    private final Session endpoint = new Session(connection, this, SETTINGS, pool);
    private final StubPeer peer = new StubPeer(connection);
    private Inputs inputs;
    private final List<String> events = new ArrayList<>();
    private Runnable onEnded = () -> {};
    private boolean ownerClosed;

    ReceivingTroubleTest() {
        connection.handledBy(endpoint);
        endpoint.greet(2, new byte[0]);
        worker.run();
    }

    @Override
    public void closed(Throwable failure) {
        ownerClosed = true;
    }

    @Override
    public void dataIn(InputBuffer buffer, long position, long length) {
        events.add("data " + position + " " + length);
    }

    @Override
    public void gap(InputBuffer buffer, long position, long lost) {
        events.add("gap " + position + " " + lost);
    }

    @Override
    public void ended(InputBuffer buffer, String failure) {
        events.add("end " + failure);
        onEnded.run();
    }

    private Inputs inputs() {
        if (inputs == null) {
            inputs = endpoint.receiveInto(this);
        }
        return inputs;
    }

    private InputBuffer subscribe(int id) {
        return subscribe(id, CAPACITY, CAPACITY);
    }

    private InputBuffer subscribe(int id, int capacity, int transferLimit) {
        InputBuffer buffer =
                inputs().subscribe(id, capacity, SubscribeOptions.DEFAULTS.withTransferLimit(transferLimit));
        worker.run();
        assertThat(buffer.subscribed()).isCompleted();
        return buffer;
    }

    private void send(int length) {
        worker.run(() -> peer.send(length));
    }

    private static BufferOptions options(SlowPolicy policy, long lagLimit) {
        return new BufferOptions(true, true, policy, lagLimit, 1000, 1000, false, false, 4096, 0, false);
    }

    private static void assertViolation(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        TransportException.class,
                        e -> assertThat(e.code()).isEqualTo(TransportException.Code.PROTOCOL));
    }

    private void tell(ControlType type, long position) {
        peer.tell(type, body -> PositionLayout.put(body, 0, position));
    }

    @Test
    void shouldNotLowerTheOverwriteLimitWhenAPartialTransferIsVoided() {
        peer.overwriting();
        InputBuffer buffer = subscribe(5);
        send(80);
        worker.run(() -> peer.write(40, true)); // overwrites positions 0 to 19
        assertThat(buffer.overwriteLimit()).isEqualTo(20);
        peer.tell(ControlType.GAP, body -> GapLayout.put(body, 0, 80, 500));
        assertThat(buffer.overwriteLimit()).isEqualTo(20);
    }

    @Test
    void shouldRejectAnUnsolicitedUnsubscribed() {
        subscribe(5);
        assertViolation(() -> tell(ControlType.UNSUBSCRIBED, 0));
    }

    @Test
    void shouldEndASpliceAfterAnUnsolicitedUnsubscribed() {
        Outputs outputs = new Outputs(1, pool, () -> false);
        InputBuffer buffer = subscribe(5);
        worker.run(() -> outputs.splice(buffer, 9, options(SlowPolicy.BLOCK, CAPACITY)));
        try {
            tell(ControlType.UNSUBSCRIBED, 0);
        } catch (TransportException e) {
            // The call is allowed to throw this exception.
        }
        worker.run(() -> endpoint.failed(new TransportException(TransportException.Code.PEER_LOST, "gone")));
        assertThat(outputs.fanout(9)).isNull();
        assertThat(pool.allocatedLength()).isZero();
    }

    @Test
    void shouldFailTheSubscriptionAfterAnUnsolicitedUnsubscribed() {
        InputBuffer buffer = unanswered();
        try {
            tell(ControlType.UNSUBSCRIBED, 0);
        } catch (TransportException e) {
            // The call is allowed to throw this exception.
        }
        endpointFails();
        assertThat(buffer.subscribed()).isCompletedExceptionally();
    }

    @Test
    void shouldRejectARefusalAfterAcceptanceAndKeepTheMemory() {
        InputBuffer buffer = subscribe(5);
        send(50);
        assertViolation(() -> peer.tell(ControlType.SUBSCRIBE_REFUSED, body -> TextLayout.put(body, 0, "ha")));
        assertThat(pool.allocatedLength()).isPositive();
        assertThat(buffer.receivedPosition()).isEqualTo(50);
    }

    @Test
    void shouldRejectDataBeforeAcceptance() {
        unanswered();
        assertViolation(() -> endpoint.arrived(0, 10));
    }

    /** Returns a subscription whose request the peer has received but not answered. */
    private InputBuffer unanswered() {
        connection.onSend(message -> PostResult.SENT);
        return inputs().subscribe(5, CAPACITY, SubscribeOptions.DEFAULTS.withTransferLimit(CAPACITY));
    }

    @Test
    void shouldEndEverythingWithTheConnectionEvenIfACallbackThrows() {
        subscribe(5);
        InputBuffer second = inputs().subscribe(6, CAPACITY, SubscribeOptions.DEFAULTS.withTransferLimit(CAPACITY));
        worker.run();
        onEnded = () -> {
            throw new IllegalStateException("thrown by the application");
        };
        try {
            worker.run(() -> endpoint.failed(new TransportException(TransportException.Code.PEER_LOST, "gone")));
        } catch (IllegalStateException e) {
            // A real worker logs the exception.
        }
        worker.run();
        assertThat(second.unsubscribed()).isDone();
        assertThat(ownerClosed).isTrue();
    }

    @Test
    void shouldEndTheSpliceEvenIfTheCallbackThrows() {
        Outputs outputs = new Outputs(1, pool, () -> false);
        InputBuffer buffer = subscribe(5);
        worker.run(() -> outputs.splice(buffer, 9, options(SlowPolicy.BLOCK, CAPACITY)));
        onEnded = () -> {
            throw new IllegalStateException("thrown by the application");
        };
        try {
            tell(ControlType.END, 0);
        } catch (IllegalStateException e) {
            worker.run(() -> endpoint.failed(new TransportException(TransportException.Code.IO, "handler failed")));
        }
        worker.run();
        assertThat(outputs.fanout(9)).isNull();
        assertThat(pool.allocatedLength()).isZero();
    }

    @Test
    void shouldReleaseTheMemoryOfAnUnansweredSubscription() {
        InputBuffer buffer = unanswered();
        assertThat(pool.allocatedLength()).isPositive();
        endpointFails();
        assertThat(buffer.subscribed()).isCompletedExceptionally();
        assertThat(pool.allocatedLength()).isZero();
    }

    @Test
    void shouldFailAnUnansweredSubscriptionWithTheCodeOfTheLoss() {
        InputBuffer buffer = unanswered();
        endpointFails();
        assertThatThrownBy(() -> buffer.subscribed().get())
                .cause()
                .isInstanceOfSatisfying(
                        TransportException.class,
                        e -> assertThat(e.code()).isEqualTo(TransportException.Code.PEER_LOST));
    }

    private void endpointFails() {
        worker.run(() -> endpoint.failed(new TransportException(TransportException.Code.PEER_LOST, "gone")));
    }

    private static int tagOf(InputBuffer buffer) {
        return buffer.tag();
    }

    private static ByteBuffer ping() {
        return io.rocketbufs.wire.ControlLayout.end(
                io.rocketbufs.wire.ControlLayout.begin(ByteBuffer.allocate(8), ControlType.PING, 0));
    }

    @Test
    void shouldFailToSubscribeOnAClosedConnection() {
        worker.run(() -> endpoint.failed(new TransportException(TransportException.Code.PEER_LOST, "gone")));
        assertThat(endpoint.isClosed()).isTrue();
        assertThatThrownBy(() -> inputs().subscribe(5, CAPACITY, SubscribeOptions.DEFAULTS.withTransferLimit(CAPACITY)))
                .isInstanceOf(TransportException.class);
        assertThat(pool.allocatedLength()).isZero();
    }

    @Test
    void shouldFreeIdAndMemoryWhenASubscriptionCannotBeRequested() {
        inputs();
        connection.onSend(message -> PostResult.NO_WINDOW);
        fillTheQueue();
        SubscribeOptions wishes = SubscribeOptions.DEFAULTS.withTransferLimit(CAPACITY);
        assertThatThrownBy(() -> inputs().subscribe(5, CAPACITY, wishes)).isInstanceOf(TransportException.class);
        assertThat(pool.allocatedLength()).isZero();
        assertThat(inputs().all()).isEmpty();
    }

    private void fillTheQueue() {
        try {
            while (true) {
                endpoint.sendControl(ByteBuffer.allocate(0));
            }
        } catch (TransportException e) {
            assertThat(e.code()).isEqualTo(TransportException.Code.RESOURCES);
        }
    }

    @Test
    void shouldAnswerEvenIfTheApplicationHasQueuedManyMessages() {
        endpoint.sendFrom(new Outputs(1, pool, () -> false), SubscribePermission.ALL, null);
        connection.onSend(message -> PostResult.NO_WINDOW);
        for (int i = 0; i < 70; i++) {
            endpoint.sendControl(ByteBuffer.allocate(1000)); // 70 KB of the allowed 1 MiB
        }
        peer.tell(ControlType.SUBSCRIBE, body -> {
            SubscribeLayout.putIds(body, 1, 0);
            SubscribeLayout.putLimits(body, 100, 100, 0, 0);
            SubscribeLayout.putAccess(body, 0, 0);
            SubscribeLayout.putStart(body, -1, 0);
            SubscribeLayout.putIdentity(body, 0);
        });
        worker.run();
        assertThat(connection.isClosed()).isFalse();
    }

    @Test
    void shouldRefuseToSpliceAnInputThatHasEnded() {
        Outputs outputs = new Outputs(1, pool, () -> false);
        InputBuffer buffer = subscribe(5);
        tell(ControlType.END, 0);
        try {
            worker.run(() -> outputs.splice(buffer, 9, options(SlowPolicy.BLOCK, CAPACITY)));
        } catch (IllegalStateException e) {
            // The call is allowed to throw this exception.
        }
        worker.run(() -> endpoint.failed(new TransportException(TransportException.Code.PEER_LOST, "gone")));
        inputs().unsubscribeAll();
        assertThat(outputs.fanout(9)).isNull();
        assertThat(pool.allocatedLength()).isZero();
    }

    @Test
    void shouldEndARemovedSpliceAfterTheReceivedData() {
        Outputs outputs = new Outputs(1, pool, () -> false);
        InputBuffer buffer = subscribe(5);
        worker.run(() -> outputs.splice(buffer, 9, options(SlowPolicy.BLOCK, CAPACITY)));
        StubSubscriber reader = new StubSubscriber(pool, worker).to(outputs.fanout(9), 1000);
        send(10);
        reader.stopped();
        send(20);
        outputs.remove(9);
        send(30);
        reader.goOn();
        assertThat(reader.bytes.size()).isEqualTo(30);
        assertThat(reader.controls).endsWith(ControlType.END);
    }

    @Test
    void shouldNotTreatEveryLagAsStarvationAfterOneLongDelivery() {
        InputBuffer buffer = subscribe(5, 1 << 16, 1 << 16);
        Fanout fanout = new Outputs(1, pool, () -> false).splice(buffer, 9, options(SlowPolicy.SKIP, 3 << 14));
        StubSubscriber reader = new StubSubscriber(pool, worker).to(fanout, 1 << 20, SlowPolicy.SKIP);
        send(1 << 16);
        worker.run();
        assertThat(peer.consumedPosition()).isEqualTo(1 << 16);
        // The publisher has credit for 64 KiB. The reader's socket currently accepts no data.
        reader.stopped();
        send(1000);
        reader.goOn();
        assertThat(reader.subscription.state().lostLength()).isZero();
    }

    @Test
    void shouldNotRunOutOfRecordsWhenASpliceKeepsManySmallDeliveries() {
        long keep = 1 << 21;
        InputBuffer buffer = inputs().subscribe(
                        5,
                        CAPACITY,
                        SubscribeOptions.DEFAULTS.withTransferLimit(1).withKeep(keep));
        worker.run();
        Outputs outputs = new Outputs(1, pool, () -> false);
        outputs.splice(buffer, 5, BufferOptions.DEFAULTS.withKeep(keep).withCoalescing(false));
        int count = (1 << 20) + 1000;
        worker.run(() -> {
            for (int i = 0; i < count; i++) {
                peer.send(1);
            }
        });
        assertThat(buffer.receivedPosition()).isEqualTo(count);
    }
}
