package io.rocketbufs.livestream.cli;

import com.typesafe.config.Config;
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
import io.rocketbufs.livestream.bench.ScrapedMetrics;
import io.rocketbufs.web.TlsIdentity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The {@code livestream demo} command, which runs a relay, edges and a source with a test picture. */
@Command(
        name = "demo",
        description = "Starts a relay, edges, and ffmpeg with a test picture and a tone. Prints the addresses to watch,"
                + " and the incoming and outgoing traffic.",
        footer = {"", "Examples:", "  livestream demo", "  livestream demo --edges 1 --duration 30s"})
final class VideoDemoCommand implements Callable<Integer> {
    private static final String STREAM = "demo";
    private static final long EVERY_NS = 1_000_000_000;
    private static final double MEGA = 1e6;
    /** Converts bytes per nanosecond to bits per second. */
    private static final double BIT_NS = 8e9;

    private static final String SOURCE = "ffmpeg -hide_banner -nostdin -loglevel error -re"
            + " -f lavfi -i testsrc2=size=640x360:rate=30 -f lavfi -i sine=frequency=440:sample_rate=48000"
            + " -c:v libx264 -preset ultrafast -tune zerolatency -b:v 1M -pix_fmt yuv420p -g 60 -sc_threshold 0"
            + " -c:a aac -b:a 96k -f mpegts -method POST";

    private final Streams streams;
    private final Programs programs;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    ConfigOptions config = new ConfigOptions(LivestreamSettings.ROOT);

    @Option(
            names = "--edges",
            paramLabel = "N",
            defaultValue = "2",
            description = "Number of edges; ${DEFAULT-VALUE} by default.")
    int edges;

    @Option(
            names = "--duration",
            paramLabel = "DURATION",
            converter = Units.DurationConverter.class,
            description = "How long to run; by default, until Ctrl-C.")
    Duration duration;

    @Option(
            names = "--install",
            description =
                    "Installs missing packages with apt-get first: a JDK, Maven and ffmpeg. The launcher does this.")
    boolean install;

    @Option(names = "--json", description = "Prints one JSON object as the last line of the output.")
    boolean json;

    /**
     * Creates the command.
     *
     * @param programs starts the relay and the edges
     */
    VideoDemoCommand(Streams streams, Programs programs) {
        this.streams = streams;
        this.programs = programs;
    }

    @Override
    public Integer call() throws Exception {
        Config loaded = config.load(LivestreamSettings::from, RocketBufs::check);
        LivestreamSettings settings = LivestreamSettings.from(loaded);
        if (edges < 1) {
            throw CommandFailure.usage("--edges " + edges + ": must be at least 1");
        }
        checkFfmpeg();
        List<AutoCloseable> started = new ArrayList<>();
        try (StopRequest stop = StopRequest.bySignal()) {
            try {
                return run(started, stop, settings);
            } finally {
                for (int i = started.size() - 1; i >= 0; i--) {
                    started.get(i).close();
                }
            }
        }
    }

    private static void checkFfmpeg() throws InterruptedException {
        try {
            new ProcessBuilder("ffmpeg", "-version")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw CommandFailure.failed("ffmpeg is missing: apt-get install -y --no-install-recommends ffmpeg");
        }
    }

    private int run(List<AutoCloseable> started, StopRequest stop, LivestreamSettings settings) throws Exception {
        ServerProcess relay = ServerProcess.startRelay(programs, config);
        started.add(relay);
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (int i = 0; i < edges; i++) {
            ServerProcess edge =
                    ServerProcess.startEdge(programs, config, settings.edge().relayHost(), relay);
            started.add(edge);
            addresses.add(edge.edge());
        }
        List<String> command = new ArrayList<>(List.of(SOURCE.split(" ")));
        command.add("https://127.0.0.1:" + relay.ingest().getPort() + "/ingest/" + STREAM + ".ts");
        Process source = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        started.add(() -> source.destroyForcibly().waitFor());
        try (TlsIdentity identity = TlsIdentity.load(settings.tls())) {
            streams.say("the certificate is " + identity.certificate());
        }
        for (InetSocketAddress address : addresses) {
            streams.tell("watch at https://localhost:" + address.getPort() + "/watch/" + STREAM);
        }
        return watch(stop, relay.ingest(), addresses, source);
    }

    private int watch(StopRequest stop, InetSocketAddress ingest, List<InetSocketAddress> addresses, Process source)
            throws Exception {
        long beforeNs = System.nanoTime();
        long endNs = duration == null ? Long.MAX_VALUE : beforeNs + duration.toNanos();
        long before = 0;
        while (System.nanoTime() < endNs) {
            if (stop.await(Duration.ofNanos(Math.min(EVERY_NS, endNs - System.nanoTime())))) {
                // Ctrl-C also ends the other processes, so their metrics can no longer be read.
                return ExitCode.DONE;
            }
            if (!source.isAlive()) {
                throw CommandFailure.failed("ffmpeg exited with code " + source.exitValue());
            }
            long received = (long) ScrapedMetrics.of(ingest).get("livestream_ingest_bytes_total");
            long nowNs = System.nanoTime();
            if (!json) {
                streams.tell(line((received - before) * BIT_NS / (nowNs - beforeNs), addresses));
            }
            before = received;
            beforeNs = nowNs;
        }
        return summarise(ingest, addresses);
    }

    private static String line(double bitRate, List<InetSocketAddress> addresses) throws Exception {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "in %.2f Mb/s", bitRate / MEGA));
        for (InetSocketAddress edge : addresses) {
            ScrapedMetrics now = ScrapedMetrics.of(edge);
            line.append(String.format(
                    Locale.ROOT,
                    " | edge %d: %d chunks, viewer connections: %d, %.1f MB out",
                    edge.getPort(),
                    (long) now.get("livestream_chunks_total"),
                    // Subtracts the connection that fetches these metrics.
                    (long) now.get("livestream_viewers") - 1,
                    now.get("livestream_delivered_bytes_total") / MEGA));
        }
        return line.toString();
    }

    private int summarise(InetSocketAddress ingest, List<InetSocketAddress> addresses) throws Exception {
        ScrapedMetrics in = ScrapedMetrics.of(ingest);
        long sent = (long) in.get("livestream_ingest_chunks_total");
        List<Long> chunks = new ArrayList<>();
        for (InetSocketAddress edge : addresses) {
            chunks.add((long) ScrapedMetrics.of(edge).get("livestream_chunks_total"));
        }
        // The newest chunk may not have reached the edges yet.
        boolean good = sent > 0 && chunks.stream().allMatch(count -> count >= sent - 1 && count > 0);
        if (json) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("ingest_bytes", (long) in.get("livestream_ingest_bytes_total"));
            all.put("ingest_chunks", sent);
            all.put("edge_chunks", chunks);
            streams.tell(Json.of(all));
        } else {
            streams.tell(sent + " chunks pushed; chunks received by the edges: " + chunks);
        }
        return good ? ExitCode.DONE : ExitCode.FAILED;
    }
}
