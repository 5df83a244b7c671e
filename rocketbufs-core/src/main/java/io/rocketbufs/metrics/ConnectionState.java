package io.rocketbufs.metrics;

import java.util.List;

/**
 * A snapshot of a connection, for diagnostics and metrics.
 *
 * @param peer the peer's address
 * @param sentCount number of writes and control messages sent
 * @param receivedCount number of writes and control messages received
 * @param inputs the connection's input buffers
 */
public record ConnectionState(String peer, long sentCount, long receivedCount, List<InputState> inputs) {
    /** Copies the list. */
    public ConnectionState {
        inputs = List.copyOf(inputs);
    }
}
