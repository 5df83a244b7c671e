package io.rocketbufs.benchmarks.transport;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.Transport;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Measures over one connection after the other, each of its own. */
final class BenchClient {
    private static final long PATIENCE_NS = 20_000_000_000L;

    private final Transport transport;
    private final InetSocketAddress server;
    private final MemoryPool memory;

    BenchClient(Transport transport, InetSocketAddress server, MemoryPool memory) {
        this.transport = transport;
        this.server = server;
        this.memory = memory;
    }

    /** Carries out one run, from connecting to the connection's end; throws where it fails or takes too long. */
    BenchResult measure(BenchRun run) throws Exception {
        CompletableFuture<BenchResult> result = new CompletableFuture<>();
        transport
                .connect(server, connection -> {
                    Link link = new Link(connection);
                    Greeting.client(link, memory, run);
                    link.ended().whenComplete((found, failure) -> {
                        if (failure != null) {
                            result.completeExceptionally(failure);
                        } else if (found == null) {
                            result.completeExceptionally(new IllegalStateException("the server ended the run"));
                        } else {
                            result.complete(found);
                        }
                    });
                    return link;
                })
                .whenComplete((connection, failure) -> {
                    if (failure != null) {
                        result.completeExceptionally(failure);
                    }
                });
        return result.get(run.warmupNs() + run.durationNs() + PATIENCE_NS, TimeUnit.NANOSECONDS);
    }
}
