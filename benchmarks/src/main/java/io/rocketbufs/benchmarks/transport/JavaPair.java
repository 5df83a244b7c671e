package io.rocketbufs.benchmarks.transport;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.Transport;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A client in this process and a server in another, for any number of runs: both stay warm between them.
 *
 * <p><b>Ownership:</b> of the server's process, which ends with this one at the latest, as its standard input does.
 */
final class JavaPair implements AutoCloseable {
    private static final long END_S = 5;

    private final Process server;
    private final MemoryPool memory = new MemoryPool(MemoryPool.DEFAULT_SLAB_LENGTH);
    private final Transport transport;
    private final BenchClient client;

    JavaPair(BenchOptions options) throws IOException {
        server = startServer(options);
        try {
            int port = readPort();
            transport = TransportChoice.open(options);
            client = new BenchClient(transport, new InetSocketAddress(options.text("address"), port), memory);
        } catch (IOException | RuntimeException e) {
            server.destroyForcibly();
            throw e;
        }
    }

    private static Process startServer(BenchOptions options) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), TransportBench.class.getName()));
        command.addAll(options.with("role", "server").arguments());
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private int readPort() throws IOException {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
        // The JVM may have something to say first, if its options ask for that.
        String line = lines.readLine();
        while (line != null && !line.startsWith(TransportBench.LISTENING)) {
            line = lines.readLine();
        }
        if (line == null) {
            throw new IOException("the server did not start");
        }
        return Integer.parseInt(line.substring(TransportBench.LISTENING.length()));
    }

    BenchResult measure(BenchRun run) throws Exception {
        return client.measure(run);
    }

    @Override
    public void close() throws IOException {
        transport.close();
        memory.close();
        server.getOutputStream().close();
        try {
            if (!server.waitFor(END_S, TimeUnit.SECONDS)) {
                server.destroyForcibly();
            }
        } catch (InterruptedException e) {
            server.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
