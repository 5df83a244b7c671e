package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.Streams;
import io.rocketbufs.rbmq.client.PublisherCallback;
import io.rocketbufs.rocketnet.TransportException;

/**
 * The notices on standard error about a lost connection and its re-establishment. Failed attempts are not reported.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class ConnectionNotices implements PublisherCallback {
    private final Streams streams;
    private boolean isLost;

    ConnectionNotices(Streams streams) {
        this.streams = streams;
    }

    /** Reports once that the connection is lost. */
    @Override
    public synchronized void onDisconnected(TransportException cause, long nextAttemptMs) {
        if (!isLost) {
            isLost = true;
            streams.say("the connection to the broker was lost: " + cause.getMessage() + "; reconnecting");
        }
    }

    @Override
    public void onFallback(String former, String transport, String why) {
        streams.say("connected over " + transport + " instead of " + former + ": " + why);
    }

    @Override
    public synchronized void onReconnected(String broker, boolean isSame) {
        isLost = false;
        streams.say("reconnected to " + broker + (isSame ? "" : ", which is another broker or was restarted"));
    }
}
