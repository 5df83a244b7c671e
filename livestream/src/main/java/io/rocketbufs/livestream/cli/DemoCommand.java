package io.rocketbufs.livestream.cli;

import com.typesafe.config.Config;
import io.rocketbufs.livestream.LivestreamSettings;
import io.rocketbufs.livestream.bench.Load;
import io.rocketbufs.livestream.web.Json;
import io.rocketbufs.livestream.web.TlsIdentity;
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

/** {@code livestream demo}: a relay, edges and a test picture in one go. */
@Command(
        name = "demo",
        description = "Starts a relay, edges, and ffmpeg with a test picture and a tone; says where to watch, and shows"
                + " what goes in and out.")
final class DemoCommand implements Callable<Integer> {
    private static final String STREAM = "demo";
    private static final long EVERY_MS = 1000;
    private static final double MEGA = 1e6;
    /** Makes bits per second of bytes per nanosecond. */
    private static final double BIT_NS = 8e9;

    private static final String SOURCE = "ffmpeg -hide_banner -nostdin -loglevel error -re"
            + " -f lavfi -i testsrc2=size=640x360:rate=30 -f lavfi -i sine=frequency=440:sample_rate=48000"
            + " -c:v libx264 -preset ultrafast -tune zerolatency -b:v 1M -pix_fmt yuv420p -g 60 -sc_threshold 0"
            + " -c:a aac -b:a 96k -f mpegts -method POST";

    @Mixin
    ConfigOptions config = new ConfigOptions();

    @Option(names = "--edges", defaultValue = "2", description = "How many edges; ${DEFAULT-VALUE} by default.")
    int edges;

    @Option(
            names = "--duration",
            converter = DurationConverter.class,
            description = "How long; until Ctrl-C by default.")
    Duration duration;

    @Option(names = "--json", description = "The last line of the output is one JSON object.")
    boolean json;

    @Override
    public Integer call() throws Exception {
        Config loaded = config.load();
        LivestreamSettings settings = LivestreamSettings.from(loaded);
        if (edges < 1) {
            throw new CommandFailure(ExitCode.USAGE, "--edges " + edges + ": there must be one");
        }
        checkFfmpeg();
        List<AutoCloseable> started = new ArrayList<>();
        try (Daemon daemon = Daemon.begin()) {
            try {
                return run(started, daemon, settings);
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
            throw new CommandFailure(
                    ExitCode.FAILED, "ffmpeg is missing: apt-get install -y --no-install-recommends ffmpeg");
        }
    }

    private int run(List<AutoCloseable> started, Daemon daemon, LivestreamSettings settings) throws Exception {
        Child relay = Child.start("relay", config, "livestream.relay.port=0", "livestream.ingest.port=0");
        started.add(relay);
        String relayAddress = reachable(settings.edge().relayHost()) + ":" + relay.port("relay");
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (int i = 0; i < edges; i++) {
            Child edge = Child.start(
                    "edge", config, "livestream.edge.port=0", "livestream.relay.address=\"" + relayAddress + "\"");
            started.add(edge);
            addresses.add(new InetSocketAddress("127.0.0.1", edge.port("edge")));
        }
        List<String> command = new ArrayList<>(List.of(SOURCE.split(" ")));
        command.add("https://127.0.0.1:" + relay.port("ingest") + "/ingest/" + STREAM + ".ts");
        Process source = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        started.add(() -> source.destroyForcibly().waitFor());
        Main.say("the certificate is " + TlsIdentity.load(settings.tls()).certificate());
        for (InetSocketAddress address : addresses) {
            Main.tell("watch at https://localhost:" + address.getPort() + "/watch/" + STREAM);
        }
        return watch(daemon, new InetSocketAddress("127.0.0.1", relay.port("ingest")), addresses, source);
    }

    private int watch(Daemon daemon, InetSocketAddress ingest, List<InetSocketAddress> addresses, Process source)
            throws Exception {
        long beforeNs = System.nanoTime();
        long endNs = duration == null ? Long.MAX_VALUE : beforeNs + duration.toNanos();
        long before = 0;
        while (System.nanoTime() < endNs) {
            if (daemon.await(Math.min(EVERY_MS, Math.max(1, (endNs - System.nanoTime()) / 1_000_000)))) {
                // Ctrl-C ends the others as well: there is nobody left to ask.
                return ExitCode.DONE;
            }
            if (!source.isAlive()) {
                throw new CommandFailure(ExitCode.FAILED, "ffmpeg has ended with exit code " + source.exitValue());
            }
            long received = (long) Load.metric(ingest, "livestream_ingest_bytes_total");
            long nowNs = System.nanoTime();
            if (!json) {
                Main.tell(line((received - before) * BIT_NS / (nowNs - beforeNs), addresses));
            }
            before = received;
            beforeNs = nowNs;
        }
        return summarise(ingest, addresses);
    }

    private static String line(double bitRate, List<InetSocketAddress> addresses) throws Exception {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "in %.2f Mb/s", bitRate / MEGA));
        for (InetSocketAddress edge : addresses) {
            line.append(String.format(
                    Locale.ROOT,
                    " | edge %d: %d chunks, %d connections, %.1f MB out",
                    edge.getPort(),
                    (long) Load.metric(edge, "livestream_chunks_total"),
                    // Not counting the one that asks.
                    (long) Load.metric(edge, "livestream_viewers") - 1,
                    Load.metric(edge, "livestream_delivered_bytes_total") / MEGA));
        }
        return line.toString();
    }

    private int summarise(InetSocketAddress ingest, List<InetSocketAddress> addresses) throws Exception {
        long sent = (long) Load.metric(ingest, "livestream_ingest_chunks_total");
        List<Long> chunks = new ArrayList<>();
        for (InetSocketAddress edge : addresses) {
            chunks.add((long) Load.metric(edge, "livestream_chunks_total"));
        }
        // The newest may be on its way.
        boolean good = sent > 0 && chunks.stream().allMatch(count -> count >= sent - 1 && count > 0);
        if (json) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("ingest_bytes", (long) Load.metric(ingest, "livestream_ingest_bytes_total"));
            all.put("ingest_chunks", sent);
            all.put("edge_chunks", chunks);
            Main.tell(Json.of(all));
        } else {
            Main.tell(sent + " chunks went in; the edges have got " + chunks);
        }
        return good ? ExitCode.DONE : ExitCode.FAILED;
    }

    /** Whoever listens everywhere is reached at home. */
    static String reachable(String host) {
        return host.equals("0.0.0.0") || host.equals("::") ? "127.0.0.1" : host;
    }
}
