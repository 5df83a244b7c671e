package io.rocketbufs;

import io.rocketbufs.rocketnet.TransportListener;
import java.net.InetSocketAddress;

/**
 * The passive side: accepts connections at an address over one transport. Several may share the same callback, so that
 * peers come over different transports.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Source:</b> RocketBufs 4.1, listing 3.
 */
public final class Listener implements AutoCloseable {
    private final TransportListener listener;
    private volatile ConnectionCallback callback = connection -> {
        throw new IllegalStateException("no connection callback is set");
    };

    /** Listens over the configured transport. */
    public Listener(RocketBufs rocketBufs, InetSocketAddress address) {
        this(rocketBufs, address, rocketBufs.settings().transport());
    }

    /**
     * Listens over a named transport.
     *
     * @throws io.rocketbufs.rocketnet.TransportException when the address or the transport cannot be used
     */
    public Listener(RocketBufs rocketBufs, InetSocketAddress address, String transport) {
        listener = rocketBufs.listen(transport, address, connection -> callback.onConnection(connection));
    }

    /** Names who is told about connections; until then they are refused. */
    public void setConnectionCallback(ConnectionCallback callback) {
        this.callback = callback;
    }

    /** The address in use, with the port chosen where 0 was asked for. */
    public InetSocketAddress address() {
        return listener.address();
    }

    /** Accepts no more; established connections live on. */
    @Override
    public void close() {
        listener.close();
    }
}
