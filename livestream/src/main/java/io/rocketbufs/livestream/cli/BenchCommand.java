package io.rocketbufs.livestream.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.livestream.LivestreamSettings;
import io.rocketbufs.livestream.bench.Load;
import io.rocketbufs.livestream.web.Json;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code livestream bench}: emulated viewers of an edge, or of a relay and an edge that it starts itself. */
@Command(
        name = "bench",
        description = "Emulates viewers that fetch streams as players do and check every chunk. Without --url it starts"
                + " a relay, an edge and emulated sources too, and shows what they cost.")
final class BenchCommand implements Callable<Integer> {
    private static final double MEGA = 1e6;
    private static final int HTTPS_PORT = 443;
    private static final int CHUNK_MS = 2000;
    private static final String LIVE = "/live/";

    @Mixin
    ConfigOptions config = new ConfigOptions();

    @Option(names = "--viewers", defaultValue = "10", description = "How many viewers; ${DEFAULT-VALUE} by default.")
    int viewers;

    @Option(
            names = "--url",
            description = "An edge, https://HOST:PORT, whose streams are all watched; or one playlist.")
    URI url;

    @Option(
            names = "--streams",
            defaultValue = "10",
            description = "Emulated sources, without --url; ${DEFAULT-VALUE} by default.")
    int streams;

    @Option(
            names = "--bit-rate",
            defaultValue = "2000000",
            description = "Bits per second of an emulated source; ${DEFAULT-VALUE} by default.")
    long bitRate;

    @Option(
            names = "--duration",
            defaultValue = "20s",
            converter = DurationConverter.class,
            description = "How long; ${DEFAULT-VALUE} by default.")
    Duration duration;

    @Option(names = "--json", description = "The last line of the output is one JSON object.")
    boolean json;

    @Override
    public Integer call() throws Exception {
        Config loaded = config.load();
        LivestreamSettings settings = LivestreamSettings.from(loaded);
        if (viewers < 1 || streams < 1 || bitRate < 32_000 || duration.toMillis() < 1) {
            throw new CommandFailure(
                    ExitCode.USAGE, "there must be a viewer, a stream and some time; 32000 bit/s at least");
        }
        if (url != null && (url.getHost() == null || !"https".equals(url.getScheme()))) {
            throw new CommandFailure(ExitCode.USAGE, "--url " + url + ": is not https://HOST:PORT");
        }
        try (Daemon daemon = Daemon.begin();
                Load load = new Load(settings.threads())) {
            return url == null ? measureOwn(load, daemon, settings) : measureAnother(load, daemon);
        }
    }

    private int measureAnother(Load load, Daemon daemon) throws Exception {
        InetSocketAddress edge = new InetSocketAddress(url.getHost(), url.getPort() < 0 ? HTTPS_PORT : url.getPort());
        load.addViewers(edge, streamsOf(edge), viewers);
        daemon.await(duration.toMillis());
        return report(load, new LinkedHashMap<>());
    }

    private List<String> streamsOf(InetSocketAddress edge) throws Exception {
        if (url.getPath().startsWith(LIVE)) {
            return List.of(url.getPath().substring(LIVE.length()).split("/")[0]);
        }
        String list = Load.fetch(edge, "/api/streams", Duration.ofSeconds(10));
        List<String> names = ConfigFactory.parseString("streams=" + list).getConfigList("streams").stream()
                .filter(stream -> !stream.getBoolean("ended"))
                .map(stream -> stream.getString("name"))
                .toList();
        if (names.isEmpty()) {
            throw new CommandFailure(ExitCode.FAILED, url + " has no streams just now");
        }
        return names;
    }

    private int measureOwn(Load load, Daemon daemon, LivestreamSettings settings) throws Exception {
        try (Child relay = Child.start("relay", config, "livestream.relay.port=0", "livestream.ingest.port=0");
                Child edge = Child.start(
                        "edge",
                        config,
                        "livestream.edge.port=0",
                        "livestream.relay.address=\""
                                + DemoCommand.reachable(settings.edge().relayHost()) + ":" + relay.port("relay")
                                + "\"")) {
            Main.say(streams + " sources of " + bitRate / MEGA + " Mb/s, a relay, an edge and " + viewers + " viewers");
            load.addSources(new InetSocketAddress("127.0.0.1", relay.port("ingest")), streams, bitRate, CHUNK_MS);
            // Until every stream has its first chunk at the edge.
            daemon.await(2L * CHUNK_MS);
            double relayBefore = relay.cpuSeconds();
            double edgeBefore = edge.cpuSeconds();
            long startNs = System.nanoTime();
            load.addViewers(new InetSocketAddress("127.0.0.1", edge.port("edge")), Load.streams(streams), viewers);
            daemon.await(duration.toMillis());
            double seconds = (System.nanoTime() - startNs) / 1e9;
            Map<String, Object> costs = new LinkedHashMap<>();
            costs.put("streams", streams);
            costs.put("bit_rate", bitRate);
            costs.put("relay_cpu_per_stream", (relay.cpuSeconds() - relayBefore) / seconds / streams);
            costs.put("edge_cpu_per_stream", (edge.cpuSeconds() - edgeBefore) / seconds / streams);
            costs.put("relay_cpu", (relay.cpuSeconds() - relayBefore) / seconds);
            costs.put("edge_cpu", (edge.cpuSeconds() - edgeBefore) / seconds);
            costs.put("buffer_bytes_per_stream", settings.relay().capacity());
            costs.put("relay_memory_per_stream", memory(relay.port("ingest")) / streams);
            costs.put("edge_memory_per_stream", memory(edge.port("edge")) / streams);
            costs.put("relay_resident_bytes", relay.residentBytes());
            costs.put("edge_resident_bytes", edge.residentBytes());
            return report(load, costs);
        }
    }

    /** Bytes that the framework has in use for buffers. */
    private static long memory(int port) throws Exception {
        return (long) Load.metric(new InetSocketAddress("127.0.0.1", port), "rocketbufs_memory_used_bytes");
    }

    private int report(Load load, Map<String, Object> costs) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("viewers", viewers);
        all.put("duration_s", duration.toMillis() / 1e3);
        all.put("goodput_mb_s", load.receivedBytes() / MEGA / duration.toMillis() * 1e3);
        all.putAll(load.result());
        all.putAll(costs);
        boolean good = load.isFaultless();
        if (json) {
            Main.tell(Json.of(all));
        } else {
            all.forEach((name, value) -> Main.tell(
                    String.format(Locale.ROOT, "%-24s %s", name, value instanceof Map ? Json.of(value) : text(value))));
            Main.tell(good ? "Every viewer got everything in time and unharmed." : "Not everything went well.");
        }
        return good ? ExitCode.DONE : ExitCode.FAILED;
    }

    private static String text(Object value) {
        return value instanceof Double number ? String.format(Locale.ROOT, "%.4f", number) : value.toString();
    }
}
