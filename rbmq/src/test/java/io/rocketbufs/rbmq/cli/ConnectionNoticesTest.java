package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.rbmq.client.ReconnectCallback;
import io.rocketbufs.rocketnet.TransportException;
import org.junit.jupiter.api.Test;

/** Tests of the notices of {@code pub}, {@code sub} and {@code respond} about their connections. */
final class ConnectionNoticesTest {
    private final RecordedStreams recorded = new RecordedStreams("rbmq");
    private final Streams streams = recorded.withoutInput();

    private void assertTold(ReconnectCallback callback) {
        recorded.clear();
        callback.onDisconnected(new TransportException(TransportException.Code.PEER_LOST, "the peer is gone"), 100);
        callback.onDisconnected(new TransportException(TransportException.Code.NO_LISTENER, "connection refused"), 200);
        callback.onFallback("shm", "tcp", "the last connection over shm failed: the peer is gone");
        callback.onReconnected("host:7610", true);
        assertThat(recorded.err())
                .isEqualTo("rbmq: the connection to the broker was lost: the peer is gone; reconnecting\n"
                        + "rbmq: connected over tcp instead of shm: the last connection over shm failed: the peer is"
                        + " gone\n"
                        + "rbmq: reconnected to host:7610\n");
    }

    @Test
    void shouldTellOfALossOfAWorseTransportAndOfTheNewConnection() {
        assertTold(new ConnectionNotices(streams));
        assertTold(new SubscriberRun(streams, Long.MAX_VALUE));
        assertTold(new RespondRun(streams, new ShellCommand(null, 1000), 1, 2, 1000));
    }
}
