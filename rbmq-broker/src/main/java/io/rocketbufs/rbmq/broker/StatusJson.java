package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.broker.RateWindow.Sample;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An encoder of the state of a broker as a whole, with the subscriptions that delay publishers. */
final class StatusJson {
    /** Maximum number of slow subscriptions in an answer. */
    private static final int MAX_SLOW = 20;

    private StatusJson() {}

    static Map<String, Object> of(Sample sample, boolean isReady) {
        BrokerReading now = sample.now();
        BrokerState state = now.state();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("ready", isReady);
        json.put("uptimeMs", state.uptimeMs());
        json.put("listeners", state.listeners());
        json.put("publishers", state.publisherCount());
        json.put("subscribers", state.subscriberCount());
        json.put("topics", now.topics().size());
        json.put("inboxes", now.inboxCount());
        json.put("windowMs", sample.windowMs());
        sample.ofBroker().addTo(json);
        json.put("receivedBytes", now.traffic().receivedLength());
        json.put("receivedTransfers", now.traffic().receivedCount());
        json.put("sentBytes", now.traffic().sentLength());
        json.put("sentTransfers", now.traffic().sentCount());
        json.put("lagBytes", now.lag().pendingLength());
        json.put("lostBytes", lostBytes(now));
        json.put("keptMessages", state.keptCount());
        json.put("keptBytes", state.keptLength());
        json.put("keptRemoved", state.keptRemovedCount());
        json.put("delays", state.delayCount());
        json.put("delayMs", state.delayMs());
        json.put("malformedFrames", state.malformedCount());
        json.put("redeliveredMessages", state.redeliveredCount());
        json.put("discardedBytes", state.discardedLength());
        json.put("refusedConnections", state.refusedCount());
        json.put("refusals", state.refusals());
        json.put("disconnects", state.disconnects());
        json.put("slowSubscribers", state.slowSubscriberCount());
        json.put("slowSubscriptions", now.slow().size());
        json.put("slow", slow(now));
        return json;
    }

    /** Returns the bytes that were not delivered, by reason. */
    static Map<String, Long> lostBytes(BrokerReading now) {
        Map<String, Long> lost = new LinkedHashMap<>();
        lost.put("skipped", now.traffic().lostLength());
        lost.put("disconnected", now.unsentLength());
        return lost;
    }

    /** Returns the subscriptions that have delayed publishers for the longest time. */
    private static List<Map<String, Object>> slow(BrokerReading now) {
        return now.slow().stream()
                .sorted(Comparator.comparingLong(
                                (SlowReading each) -> each.lag().currentDelayMs())
                        .reversed())
                .limit(MAX_SLOW)
                .map(each -> {
                    Map<String, Object> json = ClientList.identity(each.client());
                    json.put("topic", each.topic());
                    json.put("policy", each.policy());
                    long sinceMs = now.atMs() - each.lag().currentDelayMs();
                    json.put("since", Instant.ofEpochMilli(sinceMs).toString());
                    LagJson.add(json, each.lag());
                    return json;
                })
                .toList();
    }
}
