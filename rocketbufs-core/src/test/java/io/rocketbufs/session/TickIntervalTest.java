package io.rocketbufs.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.link.Heartbeat;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.stub.StubConnection;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWorker;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("once")
final class TickIntervalTest implements StubOwner {
    private final StubWorker worker = new StubWorker();

    private void startConnection(int intervalMs) {
        try (MemoryPool pool = new MemoryPool(1 << 16)) {
            StubConnection connection = new StubConnection(worker, StubTransport.socket(Integer.MAX_VALUE), 7);
            SessionSettings settings =
                    new SessionSettings(new Heartbeat.Times(intervalMs, 120_000, 1000), 1000, 500, 64 << 20);
            new Session(connection, this, settings, pool).start();
        }
    }

    @ParameterizedTest
    @CsvSource({"2000, 500", "400, 100", "1, 1", "30000, 500", "60000, 500"})
    void shouldTickAfterAtMostAQuarterOfTheIntervalAndHalfASecond(int intervalMs, long longestMs) {
        startConnection(intervalMs);
        // The delay is counted from the current time, which advances. HeartbeatTest checks the instants.
        assertThat(worker.lastDelayMs()).isBetween(0L, longestMs - 1);
    }
}
