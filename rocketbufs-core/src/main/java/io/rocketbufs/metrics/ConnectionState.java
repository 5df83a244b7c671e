package io.rocketbufs.metrics;

import java.util.List;

/**
 * A connection at one moment, for people and metrics.
 *
 * @param peer the other side's address
 * @param sentCount writes and control messages sent
 * @param receivedCount writes and control messages received
 * @param inputs its input buffers
 */
public record ConnectionState(String peer, long sentCount, long receivedCount, List<InputState> inputs) {
    /** Keeps the list as it is. */
    public ConnectionState {
        inputs = List.copyOf(inputs);
    }
}
