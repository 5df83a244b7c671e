package io.rocketbufs.options;

/** The callback that receives the events of granted memory. Runs on the connection's worker; must not block. */
@FunctionalInterface
public interface GrantCallback {
    /** A callback that ignores all events. */
    GrantCallback NONE = (number, length) -> {};

    /**
     * Called when a write by the peer is complete in the granted memory. Writes are reported in the order in which the
     * peer posted them; puts, reads and atomic operations are not reported. The peer chooses the offset of a write, so
     * do not rely on bytes that it can still change: copy them before checking them.
     *
     * @param number the peer's number for this write, 0 to 65,535
     * @param length length of the write in bytes
     */
    void onWritten(int number, long length);
}
