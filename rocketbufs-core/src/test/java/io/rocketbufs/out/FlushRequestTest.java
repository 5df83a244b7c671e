package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.wire.ControlType;
import java.util.HashSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of requests to report consumption, both for a flush and for a producer that waits for space. */
final class FlushRequestTest {
    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final StubWorker worker = new StubWorker();
    private final OutputBuffer buffer = new OutputBuffer(
            1, pool.allocate(1000), 1000, BufferOptions.DEFAULTS, null, () -> false, () -> {}, new HashSet<>());
    private final StubSubscriber reader = new StubSubscriber(pool, worker);
    private final FlushRequest request = new FlushRequest();

    @AfterEach
    void closePool() {
        pool.close();
    }

    private void deliver(int length) {
        buffer.deliver(buffer.reserve(length), length, length, null);
        worker.run();
    }

    private boolean isDue() {
        return request.isDue(reader.subscription.stream(), reader.subscription.credit());
    }

    /** Requests a report, and returns the requested position. */
    private long ask(ControlType expected) {
        assertThat(request.ask(
                        reader.endpoint.link().sender(), 3, reader.subscription.credit(), reader.subscription.stream()))
                .isTrue();
        assertThat(reader.controls).endsWith(expected);
        return reader.asked.get(reader.asked.size() - 1);
    }

    @Test
    void shouldAskAgainForDataThatWasNotSentWhenItAsked() {
        reader.to(buffer.fanout(), 1000);
        deliver(100);
        request.raise(100);
        assertThat(isDue()).isTrue();
        // Another thread delivers and flushes before the request is sent.
        request.raise(200);
        assertThat(ask(ControlType.FLUSH)).isEqualTo(100);
        deliver(100);
        assertThat(isDue()).isTrue();
        assertThat(ask(ControlType.FLUSH)).isEqualTo(200);
        assertThat(isDue()).isFalse();
    }

    @Test
    void shouldAskForAReportBeforeAFlushThatWaitsForMore() {
        reader.to(buffer.fanout(), 1000);
        deliver(300);
        request.raise(300);
        assertThat(request.awaitReport(100, 0)).isTrue();
        assertThat(request.awaitReport(200, 0)).isFalse();
        assertThat(ask(ControlType.FLUSH)).isEqualTo(100);
        assertThat(isDue()).isFalse();
        assertThat(request.awaitReport(50, 0)).isTrue();
        assertThat(ask(ControlType.FLUSH)).isEqualTo(50);
        reader.subscription.onCredit(50);
        assertThat(isDue()).isTrue();
        assertThat(ask(ControlType.FLUSH)).isEqualTo(300);
    }

    @Test
    void shouldAskForTheLowerPositionFirst() {
        reader.to(buffer.fanout(), 1000);
        deliver(300);
        request.raise(300);
        assertThat(ask(ControlType.FLUSH)).isEqualTo(300);
        assertThat(request.awaitSpace(100, 0)).isTrue();
        assertThat(isDue()).isTrue();
        assertThat(ask(ControlType.STARVING)).isEqualTo(100);
        assertThat(isDue()).isFalse();
        reader.subscription.onCredit(100);
        assertThat(isDue()).isTrue();
        assertThat(ask(ControlType.FLUSH)).isEqualTo(300);
        assertThat(request.awaitSpace(200, 100)).isTrue();
        assertThat(request.awaitSpace(250, 100)).isFalse();
        assertThat(isDue()).isTrue();
        assertThat(ask(ControlType.STARVING)).isEqualTo(200);
    }

    @Test
    void shouldNotAskWhenTheReportArrivesBeforeTheRequestIsSent() {
        reader.to(buffer.fanout(), 1000);
        deliver(300);
        assertThat(request.awaitSpace(100, 0)).isTrue();
        assertThat(isDue()).isTrue();
        // Received on the worker, while a producing thread holds the token.
        reader.subscription.onCredit(100);
        assertThat(request.ask(
                        reader.endpoint.link().sender(), 3, reader.subscription.credit(), reader.subscription.stream()))
                .isTrue();
        assertThat(reader.controls).doesNotContain(ControlType.STARVING);
        assertThat(isDue()).isFalse();
    }

    /** Covers a peer that forwards the data: it makes its slow subscribers skip data only if the sender is starving. */
    @Test
    void shouldSayThatTheProducerWaitsWhenItHasAskedForTheSamePositionBefore() {
        reader.to(buffer.fanout(), 1000);
        deliver(300);
        request.raise(300);
        assertThat(ask(ControlType.FLUSH)).isEqualTo(300);
        assertThat(request.awaitSpace(300, 0)).isTrue();
        assertThat(isDue()).isTrue();
        assertThat(ask(ControlType.STARVING)).isEqualTo(300);
        assertThat(isDue()).isFalse();
    }

    @Test
    void shouldSayThatTheProducerWaitsWhenItAsksForALowerFlush() {
        reader.to(buffer.fanout(), 1000);
        deliver(300);
        request.raise(100);
        assertThat(request.awaitSpace(300, 0)).isTrue();
        assertThat(ask(ControlType.STARVING)).isEqualTo(100);
        assertThat(isDue()).isFalse();
    }
}
