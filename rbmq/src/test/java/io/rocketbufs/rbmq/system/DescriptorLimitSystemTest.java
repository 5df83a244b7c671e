package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of a broker that runs out of file descriptors. */
@Tag("once")
@Timeout(600)
final class DescriptorLimitSystemTest {
    /**
     * Number of descriptors that the broker can still open. The test opens twice as many connections, more than the
     * broker can accept; the remaining connections fit into its listen queue.
     */
    private static final int SPARE = 20;

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void shouldServeNewClientsOnceDescriptorsAreAvailableAgain(String io) throws Exception {
        try (BrokerProcess broker = BrokerProcess.start("rocketbufs.tcp.io=" + io)) {
            loadClasses(broker);
            limitDescriptors(broker, descriptors(broker) + SPARE);
            List<Socket> connections = connect(broker, 2 * SPARE);
            broker.process().awaitErr("Too many open files");
            for (Socket connection : connections) {
                connection.close();
            }
            publish(broker);
            broker.process().awaitErr("Accepting connections on ");
            assertThat(broker.process().errText()).containsOnlyOnce("Too many open files");
        }
    }

    /**
     * Makes the broker load the classes that it needs later. In this test, each class is a separate file, and opening
     * it needs a descriptor. In a distribution, the classes are in jars, which stay open.
     */
    private static void loadClasses(BrokerProcess broker) throws Exception {
        publish(broker);
        try (Socket reset = connect(broker, 1).get(0)) {
            reset.setSoLinger(true, 0);
        }
        broker.process().awaitErr("Connection reset");
    }

    private static void publish(BrokerProcess broker) throws Exception {
        try (RbmqProcess publisher = broker.localPublisher("pub", "topic", "one")) {
            assertThat(publisher.exitCode()).as(publisher.errText()).isZero();
        }
    }

    private static List<Socket> connect(BrokerProcess broker, int count) throws IOException {
        String[] address = broker.address().split(":");
        List<Socket> connections = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            connections.add(new Socket(address[0], Integer.parseInt(address[1])));
        }
        return connections;
    }

    private static void limitDescriptors(BrokerProcess broker, long limit) throws Exception {
        int code = new ProcessBuilder("prlimit", "--pid", "" + broker.process().pid(), "--nofile=" + limit)
                .inheritIO()
                .start()
                .waitFor();
        assertThat(code).as("prlimit").isZero();
    }

    private static long descriptors(BrokerProcess broker) throws IOException {
        try (Stream<Path> paths = Files.list(Path.of("/proc/" + broker.process().pid() + "/fd"))) {
            return paths.count();
        }
    }
}
