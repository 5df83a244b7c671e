package io.rocketbufs.livestream.relay;

import io.rocketbufs.livestream.page.ServerFacts.PeerFacts;
import io.rocketbufs.metrics.SubscriptionState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Sums of the data that the edges of a relay have received: for each edge since it connected, and for all edges since
 * the relay started. An edge has a subscription for each stream. The counters of a subscription disappear when the
 * stream ends, but the sums retain their values.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class EdgeTraffic {
    private Map<SubscriptionKey, SubscriptionState> former = Map.of();
    private Map<String, EdgeSums> edges = new HashMap<>();
    private long sentLength;
    private long lostLength;

    /** The identity of a subscription. */
    private record SubscriptionKey(int bufferId, String edge) {}

    /** The sums of one edge. */
    private static final class EdgeSums {
        private long sentLength;
        private long lostLength;
        private long waitingLength;
    }

    /**
     * Adds the growth since the previous call.
     *
     * @param subscriptions current counters of all subscriptions
     * @param connectedMs milliseconds for which each edge has been connected, by address
     * @return the edges
     */
    List<PeerFacts> add(List<SubscriptionState> subscriptions, Map<String, Long> connectedMs) {
        edges.keySet().retainAll(connectedMs.keySet());
        connectedMs.keySet().forEach(edge -> edges.computeIfAbsent(edge, missing -> new EdgeSums()).waitingLength = 0);
        Map<SubscriptionKey, SubscriptionState> now = new HashMap<>();
        for (SubscriptionState each : subscriptions) {
            SubscriptionKey key = new SubscriptionKey(each.bufferId(), each.peer());
            now.put(key, each);
            add(former.get(key), each);
        }
        former = now;
        List<PeerFacts> facts = new ArrayList<>(edges.size());
        edges.forEach((edge, sums) -> facts.add(new PeerFacts(
                edge, connectedMs.get(edge), null, sums.sentLength, sums.waitingLength, sums.lostLength)));
        return facts;
    }

    private void add(SubscriptionState former, SubscriptionState now) {
        // If an edge has resubscribed since the previous call, its counters have restarted.
        boolean isNew =
                former == null || now.sentLength() < former.sentLength() || now.lostLength() < former.lostLength();
        SubscriptionState before = isNew ? null : former;
        long sent = now.sentLength() - (before == null ? 0 : before.sentLength());
        long lost = now.lostLength() - (before == null ? 0 : before.lostLength());
        sentLength += sent;
        lostLength += lost;
        EdgeSums sums = edges.get(now.peer());
        if (sums != null) {
            sums.sentLength += sent;
            sums.lostLength += lost;
            sums.waitingLength += now.pendingLength();
        }
    }

    long sentLength() {
        return sentLength;
    }

    long lostLength() {
        return lostLength;
    }
}
