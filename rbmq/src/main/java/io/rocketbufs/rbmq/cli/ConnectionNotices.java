package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.Streams;
import io.rocketbufs.rocketnet.TransportException;

/**
 * The notices of a lost connection and of its replacement, on standard error. Attempts that fail are not reported.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class ConnectionNotices {
    private final Streams streams;
    private boolean isLost;

    ConnectionNotices(Streams streams) {
        this.streams = streams;
    }

    /** Reports that the connection is lost, once. */
    synchronized void lost(TransportException cause) {
        if (!isLost) {
            isLost = true;
            streams.say("the connection to the broker was lost: " + cause.getMessage() + "; connecting again");
        }
    }

    /** Reports the next connection. */
    synchronized void connected(String broker, boolean isSame) {
        isLost = false;
        streams.say("connected again to " + broker + (isSame ? "" : ", which is another broker or was restarted"));
    }
}
