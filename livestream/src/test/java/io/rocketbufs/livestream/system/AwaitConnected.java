package io.rocketbufs.livestream.system;

import static org.awaitility.Awaitility.await;

import io.rocketbufs.livestream.edge.Edge;
import java.time.Duration;
import java.util.concurrent.Callable;

/** A wait for a condition that must become true within a short time. */
final class AwaitConnected {
    private AwaitConnected() {}

    static void of(Edge... edges) {
        for (Edge edge : edges) {
            until(edge::isConnected);
        }
    }

    static void until(Callable<Boolean> condition) {
        await().pollInterval(Duration.ofMillis(10)).until(condition);
    }
}
