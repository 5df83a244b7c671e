package io.rocketbufs;

import io.rocketbufs.rocketnet.TransportListener;
import java.net.InetSocketAddress;

/**
 * A listener that accepts connections at one address over one transport. Listeners on several transports can share a
 * callback.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Source:</b> RocketBufs 4.1, listing 3.
 */
public final class Listener implements AutoCloseable {
    private final TransportListener listener;
    private volatile ConnectionCallback callback = connection -> {
        throw new IllegalStateException("the listener accepts no connections before setConnectionCallback is called");
    };

    /** Opens a listener over the configured transport. */
    public Listener(RocketBufs rocketBufs, InetSocketAddress address) {
        this(rocketBufs, address, rocketBufs.settings().transport());
    }

    /**
     * Opens a listener over the given transport.
     *
     * @throws io.rocketbufs.rocketnet.TransportException when the address or the transport cannot be used
     */
    public Listener(RocketBufs rocketBufs, InetSocketAddress address, String transport) {
        listener = rocketBufs.listen(transport, address, connection -> callback.onConnection(connection));
    }

    /** Sets the callback invoked with each new connection. Connections are refused until it is set. */
    public void setConnectionCallback(ConnectionCallback callback) {
        this.callback = callback;
    }

    /** Returns the address that this listener is bound to. If port 0 was requested, it contains the assigned port. */
    public InetSocketAddress address() {
        return listener.address();
    }

    /** Stops accepting connections. Established connections stay open. */
    @Override
    public void close() {
        listener.close();
    }
}
