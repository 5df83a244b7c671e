package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.rbmq.RunningBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that a command that cannot start ends with an exit code and one line that names the object, the cause and the
 * remedy.
 */
@Tag("once")
@Timeout(600)
final class StartErrorsTest {
    private static final String ANY_PORTS = " --set rbmq.port=0 --set rbmq.admin.port=0";

    @TempDir
    Path folder;

    private static void assertFails(int code, String command, String... texts) {
        RecordedStreams recorded = new RecordedStreams("rbmq");
        assertThat(Main.run(command.split(" "), recorded.withoutInput()))
                .as(() -> command + ": " + recorded.err())
                .isEqualTo(code);
        assertThat(recorded.out()).as(command).isEmpty();
        assertThat(recorded.err().lines())
                .as(command)
                .singleElement()
                .asString()
                .contains(texts);
    }

    @Test
    void shouldExitWith1WhenThePortsFileCannotBeWritten() {
        Path file = folder.resolve("nowhere/ports");
        assertFails(1, "broker" + ANY_PORTS + " --ports-file " + file, file + ": cannot be written");
    }

    @Test
    void shouldExitWith1WhenAPortIsInUse() {
        try (RunningBroker first = new RunningBroker()) {
            for (String key : List.of("rbmq.port", "rbmq.admin.port")) {
                int port = key.equals("rbmq.port")
                        ? first.address().getPort()
                        : first.broker().adminAddress().getPort();
                assertFails(1, "broker" + ANY_PORTS + " --set " + key + "=" + port, String.valueOf(port), " in use");
            }
        }
    }

    @Test
    void shouldNameFileAndLineWhenAKeyIsUnknown() throws IOException {
        assertBadConfiguration(
                "broker.conf: 3",
                "did you mean rbmq.broker.slow-policy?",
                "rbmq {",
                "broker {",
                "slow-polcy = block",
                "}",
                "}");
    }

    @Test
    void shouldNameFileAndLineWhenAValueIsWrong() throws IOException {
        assertBadConfiguration("broker.conf: 2", "rbmq.broker.capacity", "# too small", "rbmq.broker.capacity = -1");
    }

    @Test
    void shouldSuggestAValueWhenOneIsMisspelt() throws IOException {
        assertBadConfiguration("broker.conf: 1", "did you mean \"disconnect\"?", "rbmq.broker.slow-policy = disconect");
    }

    @Test
    void shouldNameFileAndLineWhenATransportsValueIsWrong() throws IOException {
        assertBadConfiguration("broker.conf: 1", "rocketbufs.tcp.backlog", "rocketbufs.tcp.backlog = lots");
    }

    private void assertBadConfiguration(String place, String what, String... lines) throws IOException {
        Path file = Files.write(folder.resolve("broker.conf"), List.of(lines));
        assertFails(3, "broker --config " + file, place, what);
    }

    @Test
    void shouldExitWith69WhenTheTransportIsNotInstalled() {
        assertFails(69, "broker --set rocketbufs.transport=pigeon --set rbmq.port=0", "\"pigeon\"", "tcp");
    }

    @ParameterizedTest
    @ValueSource(strings = {"broker", "pub t m", "sub t", "demo", "bench throughput --size 8 --duration 1s"})
    void shouldExitWith69WhenALibraryIsMissing(String command) {
        String missing = " --set rocketbufs.transport=rdma --set rocketbufs.rdma.library=libfabric-missing.so";
        assertFails(69, command + missing, "libfabric-missing.so", "apt-get install libfabric1");
    }

    @Test
    void shouldNameTheKeyWhenAProviderIsMisspelt() {
        assertFails(
                3,
                "broker --set rocketbufs.transport=rdma --set rocketbufs.rdma.provider=tpc",
                "rocketbufs.rdma.provider: \"tpc\"",
                "did you mean \"tcp\"?");
    }
}
