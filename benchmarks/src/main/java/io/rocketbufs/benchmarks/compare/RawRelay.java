package io.rocketbufs.benchmarks.compare;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** The bare relay. It only forwards bytes, so its throughput is the practical limit for a broker. */
final class RawRelay implements Server {
    private static final long START_MS = 60_000;

    private final CPrograms programs;
    private Child process;
    private int size;
    private int port;

    RawRelay(CPrograms programs) {
        this.programs = programs;
    }

    @Override
    public String version() {
        return "raw_relay.c, one thread";
    }

    @Override
    public String settings() {
        return "no protocol; TCP_NODELAY";
    }

    @Override
    public void start(int newSize) throws IOException, InterruptedException {
        if (process != null && size == newSize) {
            return;
        }
        close();
        size = newSize;
        process = new Child(
                "raw_relay",
                programs.folder(),
                Map.of(),
                List.of(programs.relay().toString(), Integer.toString(newSize)));
        port = Integer.parseInt(process.await("port ", START_MS).substring("port ".length()));
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public double cpuSeconds() {
        return Processor.seconds(process.pid());
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }
}
