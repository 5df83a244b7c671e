package io.rocketbufs.rbmq.broker;

import java.util.Map;

/** The API fields that describe how far subscribers lag behind. */
final class LagJson {
    private LagJson() {}

    /** Adds the fields to a JSON object. */
    static void add(Map<String, Object> json, Lag lag) {
        json.put("lagBytes", lag.pendingLength());
        json.put("slowForMs", lag.currentDelayMs());
        json.put("delayMs", lag.delayMs());
        json.put("worstLagBytes", lag.worstPendingLength());
    }
}
