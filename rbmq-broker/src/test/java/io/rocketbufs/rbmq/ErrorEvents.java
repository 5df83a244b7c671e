package io.rocketbufs.rbmq;

import io.rocketbufs.rbmq.client.SubscriberCallback;
import java.util.List;

/** A callback that records errors with their topics. */
record ErrorEvents(List<String> events) implements SubscriberCallback {
    @Override
    public void onError(String topic, int publisher, Throwable error) {
        events.add(topic + ": " + error.getMessage());
    }
}
