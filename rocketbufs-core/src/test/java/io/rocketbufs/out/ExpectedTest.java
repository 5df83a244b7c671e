package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.Start;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the data kept by a buffer that ends before the expected connection has subscribed. */
final class ExpectedTest {
    private static final long KEPT_MS = 1000;
    private static final long REMEMBERED_MS = 60_000;

    private final MemoryPool pool = new MemoryPool(1 << 20);
    private final StubWorker worker = new StubWorker();
    private final StubSubscriber reader = new StubSubscriber(pool, worker);
    private final OutputBuffer buffer = reader.outputs.create(1, 100, BufferOptions.DEFAULTS, null);

    @AfterEach
    void closePool() {
        pool.close();
    }

    private void keepAndEnd() {
        worker.run(() -> reader.endpoint.expect(reader.outputs, 1, KEPT_MS));
        buffer.end();
    }

    private void tick(long elapsedMs) {
        worker.run(() -> reader.endpoint.tick(elapsedMs));
    }

    /** Returns true if the buffer still serves the connection, if only to report the missed data. */
    private boolean subscribes() {
        return buffer.fanout()
                        .subscribe(
                                reader.endpoint.link(),
                                new SubscriptionTerms(
                                        3,
                                        reader.connection.remoteBuffer(RemoteAccess.NONE, 100),
                                        100,
                                        100,
                                        SlowPolicy.BLOCK,
                                        false,
                                        Start.LIVE,
                                        0,
                                        500,
                                        () -> {}))
                != null;
    }

    @Test
    void shouldKnowAnExpectedSubscriptionBeforeTheWorkerHasRunFurtherTasks() {
        worker.run(() -> reader.endpoint.control(ControlMessages.hello(1, 1000, new byte[0])));
        OutputBuffer lossy = reader.outputs.create(2, 100, BufferOptions.DEFAULTS.withFlowControl(false), null);
        ByteBuffer request = ControlMessages.subscribe(2, 3, 100, SubscribeOptions.DEFAULTS, RemoteAccess.NONE);
        worker.execute(() -> reader.endpoint.control(request));
        reader.endpoint.expect(reader.outputs, 2, KEPT_MS);
        // The second delivery overwrites the first one, which was kept. The ended buffer is therefore drained
        // immediately.
        for (int i = 0; i < 2; i++) {
            lossy.deliver(lossy.reserve(100), 100, 100, null);
        }
        reader.outputs.remove(2);
        assertThat(reader.outputs.fanout(2)).isNull();
        worker.run();
        assertThat(reader.controls)
                .contains(ControlType.SUBSCRIBED, ControlType.GAP, ControlType.END)
                .doesNotContain(ControlType.SUBSCRIBE_REFUSED);
    }

    @Test
    void shouldKeepDataUntilTheTimeLimit() {
        keepAndEnd();
        tick(KEPT_MS - 1);
        assertThat(pool.allocatedLength()).isPositive();
        tick(1);
        assertThat(pool.allocatedLength()).isZero();
    }

    @Test
    void shouldReportMissedDataToALateSubscriptionForAMinute() {
        keepAndEnd();
        tick(KEPT_MS);
        tick(REMEMBERED_MS);
        assertThat(subscribes()).isTrue();
    }

    @Test
    void shouldForgetMissedDataAfterAMinute() {
        keepAndEnd();
        tick(KEPT_MS);
        tick(REMEMBERED_MS + 1);
        assertThat(subscribes()).isFalse();
    }
}
