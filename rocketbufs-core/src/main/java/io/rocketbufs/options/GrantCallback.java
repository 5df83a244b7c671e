package io.rocketbufs.options;

/** Receives the events of granted memory, on the worker of its connection. Must not block. */
@FunctionalInterface
public interface GrantCallback {
    /** Ignores all events. */
    GrantCallback NONE = (number, length) -> {};

    /**
     * Called when a write of the peer is complete in the granted memory. Writes are reported in the order in which the
     * peer has posted them; puts, reads and atomic operations are not reported. The peer chooses the place of a write,
     * so do not rely on bytes that it can still change: copy them before they are checked.
     *
     * @param number the peer's number for this write, 0 to 65,535
     * @param length length of the write in bytes
     */
    void onWritten(int number, long length);
}
