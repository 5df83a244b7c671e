package io.rocketbufs;

import io.rocketbufs.rocketnet.TransportException;
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
    private final RocketBufs rocketBufs;
    private final String transport;
    private final TransportListener listener;
    private volatile ConnectionCallback callback = connection -> {
        throw new TransportException(
                TransportException.Code.RESOURCES,
                "the listener has no connection callback yet; try again when its program has started");
    };

    private volatile Consumer<Throwable> onFailure;

    /** Opens a listener over the configured transport. */
    public Listener(RocketBufs rocketBufs, InetSocketAddress address) {
        this(rocketBufs, address, rocketBufs.settings().transport());
    }

    /**
     * Opens a listener over the given transport; {@code auto} selects the preferred transport that reaches every
     * machine.
     *
     * @throws TransportException if the address or the transport cannot be used
     */
    public Listener(RocketBufs rocketBufs, InetSocketAddress address, String transport) {
        this.rocketBufs = rocketBufs;
        this.transport = rocketBufs.automatic().resolve(transport);
        listener = rocketBufs.listen(
                this.transport, address, connection -> callback.onConnection(connection), () -> onFailure);
    }

    /**
     * Sets the callback invoked with each new connection. Until it is set, connections are refused temporarily: at the
     * peer, {@link RocketBufs#connect} fails with code RESOURCES.
     */
    public void setConnectionCallback(ConnectionCallback callback) {
        this.callback = callback;
    }

    /**
     * Sets the callback invoked with the failure of a connection that has no close callback, on the connection's
     * worker. The peer of such a connection has usually not sent a greeting, for example because it speaks another
     * protocol ({@link TransportException#otherProtocol()}). Without this callback, the failure is logged.
     */
    public void setFailureCallback(Consumer<Throwable> callback) {
        onFailure = callback;
    }

    /**
     * Returns the address that this listener is bound to. If port 0 was requested, the result contains the assigned
     * port.
     */
    public InetSocketAddress address() {
        return listener.address();
    }

    /** Returns the name of the transport. */
    public String transport() {
        return transport;
    }

    /**
     * Returns the information that a peer connected over another transport needs to reach this listener; null if the
     * transport does not provide this information.
     */
    public TransportOffer offer() {
        String place = listener.place();
        return place == null ? null : new TransportOffer(transport, place);
    }

    /** Stops accepting connections. Established connections stay open. */
    @Override
    public void close() {
        listener.close();
        rocketBufs.remove(listener);
    }
}
