package io.rocketbufs.benchmarks.transport;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportListener;
import java.net.InetSocketAddress;

/** Does what the client of each connection asks for. */
final class BenchServer implements AutoCloseable {
    private final TransportListener listener;

    BenchServer(Transport transport, InetSocketAddress address, MemoryPool memory) {
        listener = transport.listen(address, connection -> {
            Link link = new Link(connection);
            Greeting.server(link, memory);
            link.ended().whenComplete((nothing, failure) -> {
                if (failure != null) {
                    System.err.println("server: " + failure);
                }
            });
            return link;
        });
    }

    InetSocketAddress address() {
        return listener.address();
    }

    @Override
    public void close() {
        listener.close();
    }
}
