package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.rocketnet.TransportAcceptor;
import io.rocketbufs.rocketnet.TransportListener;
import java.net.InetSocketAddress;

/** A listener on one address of a {@link LoopbackNetwork}. */
record LoopbackListener(LoopbackTransport transport, InetSocketAddress address, TransportAcceptor acceptor)
        implements TransportListener {
    @Override
    public void close() {
        transport.network().remove(this);
    }
}
