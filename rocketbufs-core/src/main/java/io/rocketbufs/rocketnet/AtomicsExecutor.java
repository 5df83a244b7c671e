package io.rocketbufs.rocketnet;

/**
 * The component that executes a peer's atomic operations on this machine's memory: the processor or a device. Peers of
 * several connections can use the same word only if their executors are equal, because operations of different
 * components on the same word are not mutually atomic.
 *
 * <p><b>Thread-safety:</b> immutable.
 *
 * @param device identity of the device, compared with equals; null for the processor
 */
public record AtomicsExecutor(Object device) {
    /** The processor, or a device whose operations are atomic with respect to those of the processor. */
    public static final AtomicsExecutor PROCESSOR = new AtomicsExecutor(null);

    /** Returns true if operations of this machine's processor are atomic with respect to those of the peer. */
    public boolean isProcessor() {
        return device == null;
    }
}
