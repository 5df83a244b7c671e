package io.rocketbufs.rbmq.client;

import io.rocketbufs.ControlMessageCallback;
import io.rocketbufs.rbmq.protocol.Offers;
import io.rocketbufs.rbmq.protocol.OffersLayout;
import io.rocketbufs.rbmq.protocol.RbmqLayout;
import io.rocketbufs.rbmq.protocol.RbmqMessage;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rbmq.protocol.WelcomeLayout;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * A receiver of the broker's messages on one connection. It checks that the first message is WELCOME or, if the client
 * has asked for offers, OFFERS, which may be followed by WELCOME. It passes all other messages on.
 *
 * <p><b>Thread-safety:</b> receives messages on the connection's worker; any thread may wait for the welcome.
 */
final class WelcomeGate implements ControlMessageCallback {
    private final HostPort broker;
    private final boolean asks;
    private final Receiver receiver;
    private final CompletableFuture<Void> introduced = new CompletableFuture<>();
    private final CompletableFuture<Welcome> welcome = new CompletableFuture<>();

    private volatile Offers offers;

    /** The receiver of all messages except WELCOME. */
    @FunctionalInterface
    interface Receiver {
        /**
         * Called on the worker with a message whose position is at the start of its body.
         *
         * @throws io.rocketbufs.rocketnet.TransportException to end the connection
         */
        void onMessage(RbmqType type, ByteBuffer body);
    }

    /**
     * Creates the gate of one connection.
     *
     * @param broker the broker's address
     * @param asks true if the client has asked for offers
     */
    WelcomeGate(HostPort broker, boolean asks, Receiver receiver) {
        this.broker = broker;
        this.asks = asks;
        this.receiver = receiver;
    }

    /** Returns a future that completes when WELCOME or OFFERS has arrived. It fails if the connection ends first. */
    CompletableFuture<Void> introduced() {
        return introduced;
    }

    /** Returns the broker's offers; null if WELCOME was the first message. */
    Offers offers() {
        return offers;
    }

    /** Returns a future that completes when WELCOME has arrived. It fails if the connection ends first. */
    CompletableFuture<Welcome> welcome() {
        return welcome;
    }

    /** Called when the connection has ended. The failure is null after a graceful close. */
    void onClosed(Throwable failure) {
        Throwable cause = failure != null
                ? failure
                : new TransportException(
                        TransportException.Code.CLOSED,
                        "the broker at " + broker + " closed the connection before it sent WELCOME");
        introduced.completeExceptionally(cause);
        welcome.completeExceptionally(cause);
    }

    @Override
    public void onControlMessage(ByteBuffer message) {
        RbmqType type = RbmqMessage.type(message);
        if (type == RbmqType.OFFERS) {
            onOffers(message);
        } else if (type != RbmqType.WELCOME) {
            if (!welcome.isDone()) {
                throw RbmqLayout.violation("the broker sent " + type + " before WELCOME");
            }
            receiver.onMessage(type, message);
        } else if (!welcome.complete(WelcomeLayout.read(message))) {
            throw RbmqLayout.violation("the broker sent a second WELCOME");
        } else {
            introduced.complete(null);
        }
    }

    private void onOffers(ByteBuffer message) {
        if (!asks || offers != null || welcome.isDone()) {
            throw RbmqLayout.violation("the broker sent OFFERS for which the client has not asked");
        }
        offers = OffersLayout.read(message);
        introduced.complete(null);
    }
}
