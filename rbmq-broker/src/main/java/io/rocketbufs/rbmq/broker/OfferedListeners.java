package io.rocketbufs.rbmq.broker;

import io.rocketbufs.AutomaticTransports;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.TransportOffer;
import io.rocketbufs.rbmq.protocol.Features;
import io.rocketbufs.rbmq.protocol.Greeting;
import io.rocketbufs.rbmq.protocol.Offers;
import io.rocketbufs.rbmq.protocol.OffersLayout;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The listeners that a broker offers to clients that select their transport automatically.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class OfferedListeners {
    private final AutomaticTransports automatic;
    private final long brokerId;
    private final List<TransportOffer> all = new CopyOnWriteArrayList<>();

    /** Creates a list without listeners. */
    OfferedListeners(AutomaticTransports automatic, long brokerId) {
        this.automatic = automatic;
        this.brokerId = brokerId;
    }

    void add(Listener listener) {
        TransportOffer offer = listener.offer();
        if (offer != null && OffersLayout.fits(offer)) {
            all.add(offer);
        }
    }

    /**
     * Returns the listeners that may be better for a client than the one to which it is connected; null if there are
     * none or the client does not accept offers. A client that is authenticated by its certificate receives no offers,
     * because other transports do not carry the certificate.
     */
    Offers better(Connection connection, Greeting greeting) {
        boolean isCertified = greeting.token().length == 0 && connection.peerCertificate() != null;
        if (!greeting.supports(Features.OFFERS) || isCertified) {
            return null;
        }
        List<TransportOffer> better = automatic.better(connection.transport(), all);
        return better.isEmpty()
                ? null
                : new Offers(brokerId, better.subList(0, Math.min(better.size(), OffersLayout.MAX_COUNT)));
    }
}
