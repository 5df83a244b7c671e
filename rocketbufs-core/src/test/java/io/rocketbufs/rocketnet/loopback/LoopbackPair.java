package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.TransportListener;
import java.net.InetSocketAddress;

/** Two transports and one link between them, for tests of the loopback network itself. */
final class LoopbackPair implements AutoCloseable {
    static final long LIMIT_MS = 10_000;

    final LoopbackNetwork network;
    final LoopbackTransport clientTransport;
    final LoopbackTransport serverTransport;
    final TransportListener listener;
    final LoopbackPeer client;
    final LoopbackPeer server;
    final LoopbackLink link;
    private final MemoryPool pool = new MemoryPool(1 << 20);

    LoopbackPair(LoopbackOptions options) {
        network = new LoopbackNetwork(options);
        clientTransport = network.transport("client");
        serverTransport = network.transport("server");
        client = new LoopbackPeer(pool);
        server = new LoopbackPeer(pool);
        listener = serverTransport.listen(new InetSocketAddress("127.0.0.1", 0), server::established);
        clientTransport.connect(listener.address(), client::established).join();
        network.awaitQuiet(LIMIT_MS);
        link = network.links().get(0);
        client.writeTo(server);
        server.writeTo(client);
    }

    void awaitQuiet() {
        network.awaitQuiet(LIMIT_MS);
    }

    LoopbackPeer anotherPeer() {
        return new LoopbackPeer(pool);
    }

    /** Listens for another peer, and returns the address. */
    InetSocketAddress listen(LoopbackPeer peer) {
        return serverTransport
                .listen(new InetSocketAddress("127.0.0.1", 0), peer::established)
                .address();
    }

    /** Creates a second link between the same transports. Returns its client, which writes to the link's server. */
    LoopbackPeer connectAnother() {
        LoopbackPeer from = anotherPeer();
        LoopbackPeer to = anotherPeer();
        clientTransport.connect(listen(to), from::established).join();
        awaitQuiet();
        from.writeTo(to);
        to.writeTo(from);
        return from;
    }

    @Override
    public void close() {
        network.close();
        pool.close();
    }
}
