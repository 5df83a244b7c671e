package io.rocketbufs.rbmq.protocol;

import io.rocketbufs.TransportOffer;
import java.util.List;

/**
 * The listeners that a broker offers to a client that selects its transport automatically.
 *
 * @param brokerId the random number in the broker's {@link Welcome}, by which the client recognizes the same broker
 *     over another transport
 * @param listeners the listeners, at least one
 */
public record Offers(long brokerId, List<TransportOffer> listeners) {
    /** Copies the list. */
    public Offers {
        listeners = List.copyOf(listeners);
    }
}
