package io.rocketbufs.rocketnet;

import java.net.InetSocketAddress;
import java.util.function.Consumer;

/**
 * A resolver of the host names of peers. A lookup can take many seconds, and Java cannot limit this time. Each lookup
 * therefore runs on a separate thread, not on a worker or on the caller's thread.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class HostLookup {
    private HostLookup() {}

    /**
     * Resolves an address and calls one of two actions: on the calling thread if the address is already resolved,
     * otherwise on another thread.
     *
     * @param thread name of the thread for a lookup
     * @param found called with the resolved address
     * @param unknown called if the host is unknown
     */
    public static void resolve(
            InetSocketAddress address, String thread, Consumer<InetSocketAddress> found, Runnable unknown) {
        if (!address.isUnresolved()) {
            found.accept(address);
            return;
        }
        Thread resolver = new Thread(() -> lookUp(address, found, unknown), thread);
        resolver.setDaemon(true);
        resolver.start();
    }

    private static void lookUp(InetSocketAddress address, Consumer<InetSocketAddress> found, Runnable unknown) {
        InetSocketAddress resolved = new InetSocketAddress(address.getHostString(), address.getPort());
        if (resolved.isUnresolved()) {
            unknown.run();
        } else {
            found.accept(resolved);
        }
    }
}
