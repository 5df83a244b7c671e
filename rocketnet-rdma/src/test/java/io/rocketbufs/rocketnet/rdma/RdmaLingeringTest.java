package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the end of a connection whose memory the peer can still access after this side has closed it. */
@Timeout(600)
final class RdmaLingeringTest {
    @ParameterizedTest(name = "{0}, {1} workers")
    @CsvSource({"tcp, 0", "tcp, 1", "sockets, 0"})
    void shouldNotReportTheEndWhileThePeerCanStillWrite(String provider, int threads) throws Exception {
        try (RdmaEnds ends = new RdmaEnds("provider = " + provider, "num-threads = " + threads)) {
            RdmaRecordingHandler client = ends.connect();
            RdmaRecordingHandler server = ends.accepted(0);
            finishBoth(client, server);
            // The worker runs this task, so it cannot report the end of the connection before the task returns.
            List<String> events = new ArrayList<>();
            onWorker(server, () -> {
                server.connection().close();
                events.addAll(server.events());
            });
            assertThat(events).containsExactly("finished");

            client.close();
            server.awaitEvents("finished", "closed");
            client.awaitEvents("finished", "closed");
        }
    }

    private static void finishBoth(RdmaRecordingHandler client, RdmaRecordingHandler server) throws Exception {
        onWorker(client, client.connection()::finish);
        server.awaitEvent("finished");
        onWorker(server, server.connection()::finish);
        client.awaitEvent("finished");
    }

    private static void onWorker(RdmaRecordingHandler side, Runnable task) throws Exception {
        CompletableFuture.runAsync(task, side.connection().worker()).get(60, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldReportTheEndOnceWhenTheTransportClosesMeanwhile(int threads) throws Exception {
        RdmaRecordingHandler server;
        try (RdmaEnds ends = new RdmaEnds("num-threads = " + threads)) {
            RdmaRecordingHandler client = ends.connect();
            server = ends.accepted(0);
            finishBoth(client, server);
            onWorker(server, server.connection()::close);
        }
        assertThat(server.events()).containsExactly("finished", "closed");
    }
}
