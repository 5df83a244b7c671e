package io.rocketbufs.livestream.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Programs;
import io.rocketbufs.cli.StopRequest;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.cli.Units;
import io.rocketbufs.json.Json;
import io.rocketbufs.livestream.LivestreamSettings;
import io.rocketbufs.livestream.bench.EmulatedClients;
import io.rocketbufs.livestream.bench.HttpsFetch;
import io.rocketbufs.livestream.bench.ScrapedMetrics;
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

/**
 * The {@code livestream bench} command, which emulates viewers of a given edge, or starts a relay, an edge and emulated
 * sources itself.
 */
@Command(
        name = "bench",
        description = "Emulates viewers that fetch streams as players do and check every chunk. Without --url, also"
                + " starts a relay, an edge and emulated sources, and shows their resource usage.",
        footer = {
            "",
            "Examples:",
            "  livestream bench --viewers 100 --duration 30s",
            "  livestream bench --viewers 100 --url https://127.0.0.1:7443"
        })
final class ViewerBenchCommand implements Callable<Integer> {
    private static final double MEGA = 1e6;
    private static final int HTTPS_PORT = 443;
    private static final int CHUNK_MS = 2000;
    private static final String LIVE = "/live/";

    private final Streams streams;
    private final Programs programs;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    ConfigOptions config = new ConfigOptions(LivestreamSettings.ROOT);

    @Option(
            names = "--viewers",
            paramLabel = "N",
            defaultValue = "10",
            description = "Number of viewers; ${DEFAULT-VALUE} by default.")
    int viewers;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "URL of an edge, https://HOST:PORT, to watch all of its streams; or URL of one playlist.")
    URI url;

    @Option(
            names = "--streams",
            paramLabel = "N",
            defaultValue = "10",
            description = "Number of emulated sources, without --url; ${DEFAULT-VALUE} by default.")
    int sources;

    @Option(
            names = "--bit-rate",
            paramLabel = "N",
            defaultValue = "2000000",
            description = "Bits per second of an emulated source; ${DEFAULT-VALUE} by default.")
    long bitRate;

    @Option(
            names = "--duration",
            paramLabel = "DURATION",
            defaultValue = "20s",
            converter = Units.DurationConverter.class,
            description = "How long to run; ${DEFAULT-VALUE} by default.")
    Duration duration;

    @Option(names = "--json", description = "Prints one JSON object as the last line of the output.")
    boolean json;

    /**
     * Creates the command.
     *
     * @param programs starts the relay and the edge
     */
    ViewerBenchCommand(Streams streams, Programs programs) {
        this.streams = streams;
        this.programs = programs;
    }

    @Override
    public Integer call() throws Exception {
        Config loaded = config.load(LivestreamSettings::from, RocketBufs::check);
        LivestreamSettings settings = LivestreamSettings.from(loaded);
        if (viewers < 1 || sources < 1 || bitRate < 32_000 || duration.toMillis() < 1) {
            throw CommandFailure.usage(
                    "viewers, streams and duration must be positive; the bit rate must be 32000 or more");
        }
        if (url != null && (url.getHost() == null || !"https".equals(url.getScheme()))) {
            throw CommandFailure.usage("--url " + url + ": is not https://HOST:PORT");
        }
        try (StopRequest stop = StopRequest.bySignal();
                EmulatedClients load = new EmulatedClients(settings.threads())) {
            return url == null ? measureOwn(load, stop, settings) : measureAnother(load, stop);
        }
    }

    private int measureAnother(EmulatedClients load, StopRequest stop) throws Exception {
        InetSocketAddress edge = new InetSocketAddress(url.getHost(), url.getPort() < 0 ? HTTPS_PORT : url.getPort());
        load.addViewers(edge, streamsOf(edge), viewers);
        stop.await(duration);
        return report(load, new LinkedHashMap<>());
    }

    private List<String> streamsOf(InetSocketAddress edge) throws Exception {
        if (url.getPath().startsWith(LIVE)) {
            return List.of(url.getPath().substring(LIVE.length()).split("/")[0]);
        }
        String list = HttpsFetch.text(edge, "/api/streams", Duration.ofSeconds(10));
        List<String> names = namesIn(list, url);
        if (names.isEmpty()) {
            throw new CommandFailure(ExitCode.NOTHING_THERE, url + " has no streams");
        }
        return names;
    }

    /** Returns the names of the streams that, according to the server's response, have not ended. */
    static List<String> namesIn(String list, URI url) {
        try {
            return Json.parse("{\"streams\":" + list + "}").getConfigList("streams").stream()
                    .filter(stream -> !stream.getBoolean("ended"))
                    .map(stream -> stream.getString("name"))
                    .toList();
        } catch (ConfigException e) {
            throw CommandFailure.failed("the server at " + url + " is not an edge");
        }
    }

    private int measureOwn(EmulatedClients load, StopRequest stop, LivestreamSettings settings) throws Exception {
        try (ServerProcess relay = ServerProcess.startRelay(programs, config);
                ServerProcess edge = ServerProcess.startEdge(
                        programs, config, settings.edge().relayHost(), relay)) {
            streams.say(
                    sources + " sources of " + bitRate / MEGA + " Mb/s, a relay, an edge and " + viewers + " viewers");
            load.addSources(relay.ingest(), sources, bitRate, CHUNK_MS);
            // Waits until the edge has the first chunk of every stream.
            stop.await(Duration.ofMillis(2L * CHUNK_MS));
            double relayBefore = relay.cpuSeconds();
            double edgeBefore = edge.cpuSeconds();
            long startNs = System.nanoTime();
            load.addViewers(edge.edge(), EmulatedClients.streams(sources), viewers);
            stop.await(duration);
            double seconds = (System.nanoTime() - startNs) / 1e9;
            Map<String, Object> costs = new LinkedHashMap<>();
            costs.put("streams", sources);
            costs.put("bit_rate", bitRate);
            costs.put("relay_cpu_per_stream", (relay.cpuSeconds() - relayBefore) / seconds / sources);
            costs.put("edge_cpu_per_stream", (edge.cpuSeconds() - edgeBefore) / seconds / sources);
            costs.put("relay_cpu", (relay.cpuSeconds() - relayBefore) / seconds);
            costs.put("edge_cpu", (edge.cpuSeconds() - edgeBefore) / seconds);
            costs.put("buffer_bytes_per_stream", settings.relay().capacity());
            costs.put("relay_memory_per_stream", memory(relay.ingest()) / sources);
            costs.put("edge_memory_per_stream", memory(edge.edge()) / sources);
            costs.put("relay_resident_bytes", relay.residentBytes());
            costs.put("edge_resident_bytes", edge.residentBytes());
            return report(load, costs);
        }
    }

    /** Returns the number of bytes that a server has allocated for buffers. */
    private static long memory(InetSocketAddress server) throws Exception {
        return (long) ScrapedMetrics.of(server).get("rocketbufs_memory_used_bytes");
    }

    private int report(EmulatedClients load, Map<String, Object> costs) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("viewers", viewers);
        all.put("duration_s", duration.toMillis() / 1e3);
        all.put("goodput_mb_s", load.receivedBytes() / MEGA / duration.toMillis() * 1e3);
        all.putAll(load.result());
        all.putAll(costs);
        boolean good = load.isFaultless();
        if (json) {
            streams.tell(Json.of(all));
        } else {
            all.forEach((name, value) -> streams.tell(String.format(
                    Locale.ROOT, "%-24s %s", name, value instanceof Map<?, ?> map ? Json.of(map) : text(value))));
            streams.tell(
                    good
                            ? "Every viewer received every chunk on time and intact."
                            : "Some viewers did not receive every chunk on time and intact.");
        }
        return good ? ExitCode.DONE : ExitCode.FAILED;
    }

    private static String text(Object value) {
        return value instanceof Double number ? String.format(Locale.ROOT, "%.4f", number) : value.toString();
    }
}
