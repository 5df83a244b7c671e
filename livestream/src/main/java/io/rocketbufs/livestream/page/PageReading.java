package io.rocketbufs.livestream.page;

import io.rocketbufs.livestream.page.ServerFacts.PeerFacts;
import io.rocketbufs.livestream.page.ServerFacts.StreamFacts;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The data that the operator page shows: the counters of a server, and the rates computed from earlier counters.
 *
 * @param facts the counters
 * @param windowMs length of the rates' time window in milliseconds; 0 while there are no rates
 * @param inRate bytes per second from sources or the relay; null while unknown
 * @param outRate bytes per second to edges or viewers; null while unknown
 * @param streams the streams
 * @param peers the edges or viewers
 */
record PageReading(
        ServerFacts facts,
        long windowMs,
        Double inRate,
        Double outRate,
        List<StreamReading> streams,
        List<PeerReading> peers) {

    /** A stream and its rate: the bytes per second that it receives; null while unknown. */
    record StreamReading(StreamFacts facts, Double rate) {
        /** Returns the stream as a JSON object. */
        Map<String, Object> json() {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("name", facts.name());
            json.put("state", facts.state());
            json.put("codecs", facts.codecs());
            json.put("peers", facts.peers());
            json.put("chunks", facts.chunks());
            json.put("inBytesPerSecond", rate);
            json.put("receivedBytes", facts.receivedBytes());
            json.put("chunkAgeMs", facts.chunkAgeMs() < 0 ? null : facts.chunkAgeMs());
            json.put("behindMs", facts.behindMs());
            json.put("refusals", facts.refusals());
            json.put("refusal", facts.refusal());
            return json;
        }
    }

    /**
     * An edge or a viewer.
     *
     * @param rate bytes per second sent to the edge or viewer; null while unknown
     * @param stalledMs milliseconds for which the edge or viewer has received nothing even though data is waiting; 0 if
     *     it receives data
     * @param lately bytes skipped for the edge or viewer within the window
     */
    record PeerReading(PeerFacts facts, Double rate, long stalledMs, long lately) {
        boolean isSlow() {
            return stalledMs > 0 || lately > 0;
        }

        /** Returns the edge or viewer as a JSON object. */
        Map<String, Object> json() {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("address", facts.address());
            json.put("connectedMs", facts.connectedMs());
            json.put("stream", facts.stream());
            json.put("outBytesPerSecond", rate);
            json.put("sentBytes", facts.sentBytes());
            json.put("waitingBytes", facts.waitingBytes());
            json.put("lostBytes", facts.lostBytes());
            json.put("lostInWindowBytes", lately);
            json.put("stalledMs", stalledMs);
            json.put("isSlow", isSlow());
            return json;
        }
    }

    /** Returns the slow edges or viewers. Those that have stalled for the longest time come first. */
    List<PeerReading> slow() {
        return peers.stream()
                .filter(PeerReading::isSlow)
                .sorted(Comparator.comparingLong(PeerReading::stalledMs)
                        .thenComparingLong(PeerReading::lately)
                        .reversed())
                .toList();
    }

    /** Returns the stream that is furthest behind its source; null if there are no streams. */
    StreamFacts latest() {
        return facts.streams().stream()
                .max(Comparator.comparingLong(StreamFacts::behindMs).thenComparingLong(StreamFacts::chunkAgeMs))
                .orElse(null);
    }
}
