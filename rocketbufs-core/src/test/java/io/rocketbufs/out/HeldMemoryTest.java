package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.HelloLayout;
import io.rocketbufs.wire.PositionLayout;
import io.rocketbufs.wire.SubscribeLayout;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests of writes that do not complete and therefore keep memory in use. A producer must not wait for this memory for
 * longer than 500 ms.
 */
class HeldMemoryTest {
    private static final int CAPACITY = 100;
    private static final int TAG = 3;

    private final MemoryPool pool = new MemoryPool(1 << 20);
    private final StubWorker worker = new StubWorker();
    private StubSubscriber reader;
    private OutputBuffer buffer;

    @AfterEach
    void closePool() {
        pool.close();
    }

    private void open(boolean flowControlled, SlowPolicy policy, Capabilities capabilities) {
        reader = new StubSubscriber(pool, worker, capabilities);
        BufferOptions terms =
                new BufferOptions(flowControlled, true, policy, 0, 1_000_000, 1_000_000, false, false, 4096, 0, false);
        buffer = reader.outputs.create(
                1, CAPACITY, terms.withRecordCount(64).withDiscardable(false).withHold(false), null);
        hear(ControlType.HELLO, body -> HelloLayout.put(body, 2, 1000, new byte[0]));
        subscribe();
        reader.answer = PostResult.POSTED;
    }

    private void openOverwriting() {
        open(false, SlowPolicy.BLOCK, StubTransport.withoutWithdrawal());
    }

    private void subscribe() {
        hear(ControlType.SUBSCRIBE, body -> {
            SubscribeLayout.putIds(body, 1, TAG);
            SubscribeLayout.putLimits(body, 1000, 1000, 0, 0);
            SubscribeLayout.putAccess(body, 0, 0);
            SubscribeLayout.putStart(body, -1, 0);
            SubscribeLayout.putIdentity(body, 0);
        });
    }

    private void unsubscribe() {
        hear(ControlType.UNSUBSCRIBE, body -> PositionLayout.put(body, TAG, 0));
    }

    private void hear(ControlType type, Consumer<ByteBuffer> body) {
        ByteBuffer message = ControlLayout.begin(ByteBuffer.allocate(256), type, 0);
        body.accept(message);
        worker.run(() -> reader.endpoint.control(ControlLayout.end(message)));
    }

    private void deliver(int length) {
        long position = buffer.reserve(length);
        assertThat(position).isNotNegative();
        buffer.deliver(position, length, length, null);
        worker.run();
    }

    private void complete(int count) {
        worker.run(() -> reader.endpoint.completed(count));
    }

    private void tick(int times) {
        for (int i = 0; i < times; i++) {
            worker.run(() -> reader.endpoint.tick(250));
        }
    }

    private void assertCut(int length) {
        assertThat(reader.failure)
                .hasMessage("subscription of 127.0.0.1:7 to buffer 1 holds " + length
                        + " bytes that the producer needs: writes to it have not completed for 500 ms");
        assertThat(reader.connection.isClosed()).isTrue();
    }

    @Test
    void shouldDisconnectWhenWritesOccupyMemoryThatMustBeOverwritten() {
        openOverwriting();
        deliver(60);
        assertThat(buffer.reserve(60)).isEqualTo(OutputBuffer.WRITES_PENDING);
        tick(2);
        assertThat(reader.failure).isNull();
        tick(1);
        assertCut(60);
        assertThat(buffer.reserve(60)).isEqualTo(60);
        assertThat(reader.controls).endsWith(ControlType.GOODBYE);
    }

    @Test
    void shouldDisconnectASkippingSubscriberThatCannotReleaseMemory() {
        open(true, SlowPolicy.SKIP, StubTransport.withoutWithdrawal());
        deliver(30);
        deliver(40);
        assertThat(buffer.reserve(90)).isEqualTo(OutputBuffer.NO_SPACE);
        tick(3);
        assertCut(70);
        assertThat(buffer.reserve(90)).isEqualTo(70);
    }

    @ParameterizedTest
    @EnumSource(names = {"BLOCK", "DISCONNECT"})
    void shouldNotApplyTheWriteTimeoutUnderOtherPolicies(SlowPolicy policy) {
        open(true, policy, StubTransport.withoutWithdrawal());
        deliver(60);
        assertThat(buffer.reserve(60)).isEqualTo(OutputBuffer.NO_SPACE);
        tick(10);
        assertThat(reader.failure).isNull();
    }

    @Test
    void shouldKeepASubscriberWhoseWritesCanBeWithdrawn() {
        open(false, SlowPolicy.SKIP, StubTransport.socket(1000));
        deliver(60);
        assertThat(buffer.reserve(60)).isEqualTo(OutputBuffer.WRITES_PENDING);
        tick(10);
        assertThat(reader.failure).isNull();
    }

    @Test
    void shouldKeepASubscriberWhoseMemoryIsNotNeeded() {
        openOverwriting();
        deliver(60);
        tick(10);
        assertThat(buffer.reserve(60)).isEqualTo(OutputBuffer.WRITES_PENDING);
        tick(2);
        assertThat(reader.failure).isNull();
        tick(1);
        assertCut(60);
    }

    @Test
    void shouldKeepASubscriberThatMakesSlowProgress() {
        openOverwriting();
        for (int i = 0; i < 10; i++) {
            deliver(10);
        }
        assertThat(buffer.reserve(CAPACITY)).isEqualTo(OutputBuffer.WRITES_PENDING);
        for (int i = 0; i < 9; i++) {
            tick(2);
            complete(1);
        }
        assertThat(reader.failure).isNull();
        tick(3);
        assertCut(10);
    }

    @Test
    void shouldKeepASubscriberThatMakesProgressDuringTheCheck() {
        openOverwriting();
        deliver(40);
        deliver(40);
        assertThat(buffer.reserve(60)).isEqualTo(OutputBuffer.WRITES_PENDING);
        tick(2);
        reader.connection.onSend(message -> {
            // Runs on the worker, while another thread sends the message.
            reader.endpoint.completed(1);
            reader.endpoint.tick(250);
            return PostResult.SENT;
        });
        worker.run(() -> reader.endpoint.sendControl(ByteBuffer.allocate(1)));
        assertThat(reader.failure).isNull();
        assertThat(buffer.reserve(60)).isEqualTo(80);
    }

    @Test
    void shouldKeepASubscriberWithoutWritesInFlight() {
        openOverwriting();
        reader.answer = PostResult.NO_WINDOW;
        deliver(60);
        // The subscription cannot be made to skip now, and no thread tries again.
        reader.connection.onSend(message -> {
            assertThat(CompletableFuture.supplyAsync(() -> buffer.reserve(60)).join())
                    .isEqualTo(OutputBuffer.WRITES_PENDING);
            return PostResult.NO_WINDOW;
        });
        worker.run(() -> reader.endpoint.sendControl(ByteBuffer.allocate(1)));
        tick(10);
        assertThat(reader.failure).isNull();
        assertThat(buffer.reserve(60)).isEqualTo(60);
    }

    @Test
    void shouldKeepASubscriberOfAnEndedBuffer() {
        openOverwriting();
        deliver(60);
        assertThat(buffer.reserve(60)).isEqualTo(OutputBuffer.WRITES_PENDING);
        buffer.end();
        tick(10);
        assertThat(reader.failure).isNull();
        complete(1);
        assertThat(pool.allocatedLength()).isZero();
    }

    @Test
    void shouldDisconnectASubscriberThatUnsubscribedDuringAWrite() {
        openOverwriting();
        deliver(60);
        unsubscribe();
        assertThat(buffer.reserve(60)).isEqualTo(OutputBuffer.WRITES_PENDING);
        tick(3);
        assertCut(60);
    }

    @Test
    void shouldDisconnectASubscriberThatReusesTheTagAfterUnsubscribing() {
        openOverwriting();
        deliver(60);
        unsubscribe();
        subscribe();
        assertThat(buffer.reserve(60)).isEqualTo(OutputBuffer.WRITES_PENDING);
        tick(3);
        assertCut(60);
        assertThat(buffer.reserve(60)).isEqualTo(60);
    }
}
