package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.ConfigFactory;
import io.netty.handler.ssl.OpenSsl;
import io.rocketbufs.contract.TlsFiles;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * A program that measures the processor time of a full TLS 1.3 handshake on each side, between memory areas without
 * sockets. It prints the median, minimum and maximum of several rounds. It is not a test, because its result depends on
 * the machine.
 */
final class TlsHandshakeTiming {
    private static final int WARM_UP_COUNT = 1500;
    private static final int ROUND_COUNT = 9;
    private static final int COUNT = 200;
    private static final int LENGTH = 64 << 10;

    private final TlsContexts contexts;
    private final long toServer;
    private final long toClient;
    private long clientNs;
    private long serverNs;

    private TlsHandshakeTiming(TlsContexts contexts, Region region) {
        this.contexts = contexts;
        this.toServer = region.address();
        this.toClient = region.address() + LENGTH;
    }

    public static void main(String[] arguments) throws IOException {
        OpenSsl.ensureAvailability();
        measure("server's certificate", TlsFiles.certificate("server"), TlsFiles.trust("ca"));
        measure(
                "certificates of both",
                TlsFiles.certificate("server"),
                TlsFiles.trust("ca"),
                TlsFiles.clientAuthority("ca"),
                TlsFiles.clientCertificate("edge1"));
    }

    private static void measure(String what, String... settings) throws IOException {
        TlsTransportSettings read = TlsTransportSettings.from(TlsFiles.with(ConfigFactory.load(), settings));
        try (MemoryPool memory = new MemoryPool(2 * LENGTH);
                TlsContexts contexts = read.contexts()) {
            TlsHandshakeTiming timing = new TlsHandshakeTiming(contexts, memory.allocate(2 * LENGTH));
            timing.handshakes(WARM_UP_COUNT);
            long[] client = new long[ROUND_COUNT];
            long[] server = new long[ROUND_COUNT];
            for (int i = 0; i < ROUND_COUNT; i++) {
                timing.handshakes(COUNT);
                client[i] = TimeUnit.NANOSECONDS.toMicros(timing.clientNs / COUNT);
                server[i] = TimeUnit.NANOSECONDS.toMicros(timing.serverNs / COUNT);
            }
            System.out.println(what + ": client " + shown(client) + " us, server " + shown(server) + " us");
        }
    }

    private static String shown(long... values) {
        long[] sorted = LongStream.of(values).sorted().toArray();
        return sorted[ROUND_COUNT / 2] + " (" + sorted[0] + "-" + sorted[ROUND_COUNT - 1] + ")";
    }

    private void handshakes(int count) throws IOException {
        clientNs = 0;
        serverNs = 0;
        for (int i = 0; i < count; i++) {
            handshake();
        }
    }

    private void handshake() throws IOException {
        long start = now();
        TlsEngine client = contexts.newEngine("localhost");
        boolean clientEnds = client.handshake(toClient, 0, toServer, LENGTH);
        int length = client.produced();
        clientNs += now() - start;
        start = now();
        TlsEngine server = contexts.newEngine(null);
        boolean serverEnds = false;
        serverNs += now() - start;
        while (!clientEnds || !serverEnds) {
            start = now();
            serverEnds = serverEnds || server.handshake(toServer, length, toClient, LENGTH);
            length = server.produced();
            serverNs += now() - start;
            start = now();
            clientEnds = clientEnds || client.handshake(toClient, length, toServer, LENGTH);
            length = client.produced();
            clientNs += now() - start;
        }
        start = now();
        server.close();
        serverNs += now() - start;
        start = now();
        client.close();
        clientNs += now() - start;
    }

    private static long now() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
