package io.rocketbufs.contract;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.RemoteMemory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.Segment;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A separate process that is killed by a test. Its main class is this one, which connects, and then sends, receives or
 * adds as fast as possible, or another one that prints {@link #READY} to standard output.
 */
public final class PeerProcess implements AutoCloseable {
    static final int BUFFER = 1;
    static final long CAPACITY = 1 << 20;
    static final int LENGTH = 4_000;

    /** The line that tells the parent process that it may go on. */
    public static final String READY = "ready";

    private final Process process;

    private PeerProcess(Process process) {
        this.process = process;
    }

    /** Starts a process that connects to an address. Returns once it is connected. */
    static PeerProcess start(String settings, InetSocketAddress address, String role) throws IOException {
        return start(
                PeerProcess.class,
                settings,
                address.getAddress().getHostAddress(),
                Integer.toString(address.getPort()),
                role);
    }

    /** Starts a process with a main class. Returns once the process is ready. */
    public static PeerProcess start(Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        // The transports' tests have no SLF4J provider, which each process would report on standard error.
        command.add("-Dslf4j.internal.verbosity=ERROR");
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classPath, main.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = output.readLine(); !READY.equals(line); line = output.readLine()) {
            if (line == null) {
                throw new AssertionError("the child process ended");
            }
        }
        return new PeerProcess(process);
    }

    /** Opens an instance with the given configuration in addition to the defaults. */
    public static RocketBufs open(String settings) {
        return RocketBufs.open(ConfigFactory.parseString(settings + "\nrocketbufs.greeting-timeout = 60 s")
                .withFallback(ConfigFactory.load()));
    }

    /** Stops the process (SIGSTOP), so that messages to it stay in flight. */
    void stop() throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-STOP", Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    /** Kills the process (SIGKILL). */
    public void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        kill();
    }

    /** Runs the child. The arguments are the settings, the host, the port and the role. */
    public static void main(String[] arguments) throws Exception {
        RocketBufs rocketBufs = open(arguments[0]);
        InetSocketAddress address = new InetSocketAddress(arguments[1], Integer.parseInt(arguments[2]));
        switch (arguments[3]) {
            case "subscriber" -> receive(rocketBufs, address);
            case "publisher" -> send(rocketBufs, address);
            case "adder" -> add(rocketBufs, address);
            default -> throw new IllegalArgumentException("role " + arguments[3]);
        }
    }

    private static void receive(RocketBufs rocketBufs, InetSocketAddress address) throws Exception {
        CompletableFuture<RIn> made = new CompletableFuture<>();
        rocketBufs
                .connect(address, ConnectOptions.as(Role.SUBSCRIBER, connection -> made.complete(new RIn(connection))))
                .get();
        RIn in = made.get();
        in.setDataInCallback((bufferId, data) -> in.dataConsumed(bufferId, data.length()));
        in.subscribe(BUFFER, CAPACITY).get();
        System.out.println(READY);
        in.connection().closed().join();
    }

    private static void send(RocketBufs rocketBufs, InetSocketAddress address) throws Exception {
        ROut out = new ROut(rocketBufs);
        out.createBuffer(BUFFER, CAPACITY);
        rocketBufs
                .connect(address, ConnectOptions.as(Role.PUBLISHER, out::addConnection))
                .get();
        System.out.println(READY);
        while (true) {
            Segment segment = out.getOutputSegment(BUFFER, LENGTH, true);
            if (segment.vecCount() > 0) {
                out.deliver(segment, LENGTH);
            }
        }
    }

    /** Repeatedly adds to a word that the peer has described in a message. */
    private static void add(RocketBufs rocketBufs, InetSocketAddress address) throws Exception {
        BlockingQueue<ByteBuffer> descriptions = new LinkedBlockingQueue<>();
        Connection connection = rocketBufs
                .connect(
                        address,
                        ConnectOptions.as(
                                Role.PEER,
                                made -> made.setControlMessageCallback(
                                        message -> descriptions.add(ByteBuffer.allocate(message.remaining())
                                                .put(message.duplicate())
                                                .flip()))))
                .get();
        RemoteMemory word = connection.remoteMemory(descriptions.take(), (context, value) -> {});
        System.out.println(READY);
        while (true) {
            if (!word.fetchAddDirectly(0, 1, number -> {})) {
                word.fetchAdd(0, 1, 0);
            }
        }
    }
}
