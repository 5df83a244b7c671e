package io.rocketbufs.rbmq.client;

import io.rocketbufs.rbmq.protocol.InboxName;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The delays of a publisher that subscribers cause, as the broker reports them for each topic.
 *
 * <p>The broker drops reports that become outdated before they are sent. It may therefore repeat a number, or report
 * the end of a delay whose beginning it has not reported.
 *
 * <p><b>Thread-safety:</b> the connection's worker; any thread reads the count.
 */
final class SufferedDelays {
    private final PublisherCallback callback;
    /** The number of subscribers that delay each output, always positive. Every output in this map has a buffer. */
    private final Map<TopicOutput, Integer> delayed = new HashMap<>();

    private volatile long count;

    /** @param callback the application's callback; null if there is none */
    SufferedDelays(PublisherCallback callback) {
        this.callback = callback;
    }

    /** Called when the broker reports the number of subscribers that delay an output, or the output has ended. */
    void report(TopicOutput output, int subscriberCount) {
        Integer before = subscriberCount == 0 ? delayed.remove(output) : delayed.put(output, subscriberCount);
        if (before == null ? subscriberCount == 0 : before == subscriberCount) {
            return;
        }
        if (before == null) {
            count++;
        }
        tell(output, subscriberCount);
    }

    /** Reports that all delays have ended because the connection is lost. Another broker would report them again. */
    void endAll() {
        List<TopicOutput> ended = List.copyOf(delayed.keySet());
        delayed.clear();
        ended.forEach(output -> tell(output, 0));
    }

    private void tell(TopicOutput output, int subscriberCount) {
        if (callback != null && !InboxName.is(output.topic())) {
            callback.onSlowSubscribers(output.topic(), subscriberCount);
        }
    }

    /** Returns the number of times that subscribers started to delay an output. */
    long count() {
        return count;
    }
}
