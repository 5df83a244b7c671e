package io.rocketbufs;

import io.rocketbufs.rocketnet.TransportListener;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

/**
 * A listener that accepts connections on one address over one transport. Listeners on several transports can share a
 * callback.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Source:</b> RocketBufs 4.1, listing 3.
 */
public final class Listener implements AutoCloseable {
    private final TransportListener listener;
    private volatile ConnectionCallback callback = connection -> {
        throw new IllegalStateException("the listener accepts no connections before setConnectionCallback is called");
    };

    private volatile Consumer<Throwable> onFailure;

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
        listener =
                rocketBufs.listen(transport, address, connection -> callback.onConnection(connection), () -> onFailure);
    }

    /** Sets the callback invoked with each new connection. Connections are refused until it is set. */
    public void setConnectionCallback(ConnectionCallback callback) {
        this.callback = callback;
    }

    /**
     * Sets the callback invoked with the failure of a connection that has no close callback, on the connection's
     * worker. Such a connection has usually not sent a greeting, for example because its peer speaks another protocol
     * ({@link io.rocketbufs.rocketnet.TransportException#otherProtocol()}). Without this callback, the failure is
     * logged.
     */
    public void setFailureCallback(Consumer<Throwable> callback) {
        onFailure = callback;
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
