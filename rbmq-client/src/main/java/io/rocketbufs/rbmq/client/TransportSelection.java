package io.rocketbufs.rbmq.client;

import io.rocketbufs.AutomaticTransports;
import io.rocketbufs.TransportOffer;
import io.rocketbufs.rbmq.protocol.Features;
import io.rocketbufs.rbmq.protocol.Offers;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transport over which a publisher or subscriber connects. With {@code rocketbufs.transport = auto}, it first
 * connects over the transport that reaches every machine. Before it sends or requests anything, it moves to the best
 * transport that the broker offers and that works. If a transport fails, the client reports an obstacle, never an
 * error.
 *
 * <pre>
 *   connect over the first transport --WELCOME--&gt; in use
 *        |           ^                               ^
 *      OFFERS        | failed                        | STAY, WELCOME
 *        v           |                               |
 *   the best that can be reached? -------no----------+
 *        |           |                               |
 *        +--LEAVE--&gt; connect over it -----WELCOME----+
 * </pre>
 *
 * <p>If the connection over a better transport fails while the broker keeps running, the next connection does not use
 * this transport, but the one after that may. If the broker deliberately disconnects the client, for example because it
 * is slow, that is not a failure of the transport.
 *
 * <p><b>Thread-safety:</b> {@link #open} one thread at a time; {@link #onLost} any thread.
 *
 * @param <L> the type of a connection
 */
final class TransportSelection<L extends BrokerLink> {
    private static final Logger LOG = LoggerFactory.getLogger(TransportSelection.class);
    /** Codes of failures that may be due to the transport. */
    private static final Set<TransportException.Code> FAILURES =
            EnumSet.of(TransportException.Code.PEER_LOST, TransportException.Code.TIMEOUT, TransportException.Code.IO);

    private final String configured;
    private final AutomaticTransports automatic;
    private final Function<BrokerTarget, L> opening;
    /** The transport of the previous connection; null before the first connection. */
    private String former;

    private Lost lost;

    /** The last connection that was lost while it used a better transport than the first. */
    private record Lost(String transport, long brokerId, String cause) {}

    /** One search for a connection to a broker at one address. */
    private final class Search {
        private final BrokerTarget first;
        private final Map<String, String> obstacles = new LinkedHashMap<>();
        private BrokerTarget target;
        /** The offers that led to the target; null if it is the first target. */
        private Offers followed;

        private Search(InetSocketAddress address) {
            first = new BrokerTarget(automatic.first(), address, true);
            target = first;
        }

        /** Returns the connection; null if another attempt is necessary. */
        private L attempt() {
            try {
                return connect();
            } catch (TransportException e) {
                if (target == first || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                giveUp(e.getMessage());
                return null;
            }
        }

        private L connect() {
            L link = opening.apply(target);
            if (followed != null && link.brokerId() != followed.brokerId()) {
                link.connection().close();
                throw new TransportException(TransportException.Code.UNREACHABLE, "another broker listens there");
            }
            Offers offers = link.offers();
            BrokerTarget better = offers == null ? null : better(offers);
            if (better != null) {
                link.leave();
                followed = offers;
                target = better;
                return null;
            }
            if (offers != null) {
                link.stay(ChosenTransport.describe(obstacles));
            } else if (!Features.include(link.welcome().features(), Features.OFFERS)) {
                obstacles.put("a better one", "the broker does not support automatic selection");
            }
            link.choose(obstacles);
            return link;
        }

        private void giveUp(String obstacle) {
            obstacles.put(target.transport(), obstacle);
            target = first;
            followed = null;
        }

        /** Returns the target for the best offer that can be reached; null if there is none. */
        private BrokerTarget better(Offers offers) {
            for (TransportOffer offer : automatic.better(target.transport(), offers.listeners())) {
                if (!obstacles.containsKey(offer.transport())) {
                    try {
                        checkFormer(offer, offers.brokerId());
                        InetSocketAddress address = automatic.route(offer, first.address());
                        return new BrokerTarget(offer.transport(), address, true);
                    } catch (TransportException e) {
                        obstacles.put(offer.transport(), e.getMessage());
                    }
                }
            }
            return null;
        }
    }

    /**
     * Creates a selection.
     *
     * @param configured a transport's name, or {@code auto}
     * @param opening connects to a target; blocks
     */
    TransportSelection(String configured, AutomaticTransports automatic, Function<BrokerTarget, L> opening) {
        this.configured = configured;
        this.automatic = automatic;
        this.opening = opening;
    }

    /**
     * Connects to a broker at one of its addresses; blocks.
     *
     * @throws TransportException when the broker does not accept the client over the first transport
     */
    L open(InetSocketAddress address) {
        if (!AutomaticTransports.isAutomatic(configured)) {
            L named = opening.apply(new BrokerTarget(configured, address, false));
            named.choose(Map.of());
            return named;
        }
        Search search = new Search(address);
        L link = null;
        while (link == null) {
            link = search.attempt();
        }
        report(link.transport(), address);
        return link;
    }

    private void report(ChosenTransport chosen, InetSocketAddress address) {
        String broker = HostPort.of(address);
        String why = reasonAgainst(former, chosen);
        if (why != null) {
            LOG.warn("Connected to {} over {} instead of {}: {}", broker, chosen.name(), former, why);
        } else if (!chosen.name().equals(former)) {
            LOG.info("Connected to {} over {}", broker, chosen);
        }
        former = chosen.name();
    }

    /**
     * Returns the reason why the transport of the previous connection is not used again even though it is better than
     * the chosen one; null if it is not better.
     *
     * @param before name of the previous transport; null for the first connection
     */
    String reasonAgainst(String before, ChosenTransport chosen) {
        return before != null && automatic.isBetter(before, chosen.name())
                ? chosen.obstacles().getOrDefault(before, "the broker does not offer it")
                : null;
    }

    /** Called when a connection has been lost and will be replaced. */
    synchronized void onLost(BrokerLink link, TransportException cause) {
        String transport = link.transport().name();
        boolean isBetter = AutomaticTransports.isAutomatic(configured)
                && FAILURES.contains(cause.code())
                && !cause.isDeliberate()
                && automatic.isBetter(transport, automatic.first());
        lost = isBetter ? new Lost(transport, link.brokerId(), cause.getMessage()) : null;
    }

    /**
     * Checks that the last connection to this broker did not fail over the offered transport.
     *
     * @throws TransportException when it did fail; thrown only once per failure
     */
    private synchronized void checkFormer(TransportOffer offer, long brokerId) {
        Lost last = lost;
        if (last != null && last.transport.equals(offer.transport()) && last.brokerId == brokerId) {
            lost = null;
            throw new TransportException(
                    TransportException.Code.PEER_LOST,
                    "the last connection over " + last.transport + " failed: " + last.cause);
        }
    }
}
