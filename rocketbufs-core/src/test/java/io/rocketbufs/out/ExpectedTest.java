package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.Start;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.stub.StubWorker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the data that is kept when a buffer ends before the expected connection has subscribed. */
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
