package io.rocketbufs.benchmarks.transport;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.Transport;
import java.net.InetSocketAddress;

/**
 * What a transport gives at the level of its interface, without core's buffers: the rate of messages one way, or half
 * the round trip of one.
 *
 * <p>Usage: {@code java -cp benchmarks.jar io.rocketbufs.benchmarks.transport.TransportBench --transport tcp --mode
 * rate|latency --size 512 [--capacity B] [--duration s] [--warmup s] [--set key=value,…]}; prints one line of JSON.
 * {@code --window}, {@code --signal-interval}, {@code --inject}, {@code --wait} and {@code --provider} reach transports
 * that have keys for them. The server runs in a process of its own: on this machine by default, elsewhere with
 * {@code --role server --address A --port P}, to which {@code --role client} connects.
 */
public final class TransportBench {
    /** What the server prints before its port. */
    static final String LISTENING = "listening at port ";

    private TransportBench() {}

    /** Measures once and prints. */
    public static void main(String[] arguments) throws Exception {
        BenchOptions options = BenchOptions.parse(arguments);
        switch (options.text("role")) {
            case "server" -> serve(options);
            case "client" -> measure(options);
            case "both" -> {
                try (JavaPair pair = new JavaPair(options)) {
                    System.out.println(pair.measure(options.run()).over(options).json());
                }
            }
            default ->
                throw new IllegalArgumentException("--role " + options.text("role") + ": server, client or both");
        }
    }

    private static InetSocketAddress address(BenchOptions options) {
        return new InetSocketAddress(options.text("address"), options.number("port"));
    }

    /** Until the standard input ends. */
    private static void serve(BenchOptions options) throws Exception {
        try (MemoryPool memory = new MemoryPool(MemoryPool.DEFAULT_SLAB_LENGTH);
                Transport transport = TransportChoice.open(options);
                BenchServer server = new BenchServer(transport, address(options), memory)) {
            System.out.println(LISTENING + server.address().getPort());
            while (System.in.read() >= 0) {
                // what is said does not matter
            }
        }
    }

    private static void measure(BenchOptions options) throws Exception {
        try (MemoryPool memory = new MemoryPool(MemoryPool.DEFAULT_SLAB_LENGTH);
                Transport transport = TransportChoice.open(options)) {
            BenchClient client = new BenchClient(transport, address(options), memory);
            System.out.println(client.measure(options.run()).over(options).json());
        }
    }
}
