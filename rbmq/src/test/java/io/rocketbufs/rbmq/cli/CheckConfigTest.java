package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.RecordedStreams;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the output of {@code rbmq broker --check-config}. */
@Tag("once")
@Timeout(600)
final class CheckConfigTest {
    private final RecordedStreams recorded = new RecordedStreams("rbmq");

    /**
     * The log level of this process. The option --log-level sets it, and it takes precedence over the level in a file.
     */
    private final String level = System.clearProperty("log.level");

    @TempDir
    Path folder;

    @AfterEach
    void restoreLevel() {
        if (level == null) {
            System.clearProperty("log.level");
        } else {
            System.setProperty("log.level", level);
        }
    }

    private int check(Path file, String... more) {
        String[] command = new String[4 + more.length];
        System.arraycopy(new String[] {"broker", "--check-config", "--config", file.toString()}, 0, command, 0, 4);
        System.arraycopy(more, 0, command, 4, more.length);
        return Main.run(command, recorded.withoutInput());
    }

    @Test
    void shouldPrintEachValueWithItsOrigin() throws IOException {
        Path included = Files.writeString(folder.resolve("limits.conf"), "rbmq.limits.topics-per-connection = 7");
        Path file = Files.writeString(
                folder.resolve("broker.conf"),
                "include \"limits.conf\"\nrbmq.broker.capacity = 2 MiB\nrbmq.broker.keep = ${?PATH_OF_NOTHING}\n"
                        + "rbmq.client.name = ${PATH}\nrbmq.insecure = on\nother.program = 1");
        assertThat(check(file, "--set", "rbmq.broker.lag-timeout=3 s", "--log-level", "WARN"))
                .as(recorded.err())
                .isZero();
        assertThat(recorded.out().lines())
                .contains(
                        "rbmq.broker.capacity = \"2 MiB\" # " + file + ": 2",
                        "rbmq.limits.topics-per-connection = 7 # " + included + ": 1",
                        "rbmq.broker.lag-timeout = \"3 s\" # --set",
                        "rbmq.broker.keep = 0 # default",
                        "rbmq.log-level = \"warn\" # --log-level or log.level",
                        "rocketbufs.transport = \"auto\" # default",
                        "rbmq.users = [] # default",
                        "the configuration is valid")
                .anyMatch(line -> line.startsWith("rbmq.client.name = ") && line.contains(" # env var"))
                .noneMatch(line -> line.contains("other.program"));
    }

    @Test
    void shouldShowNoSecret() throws IOException {
        Path token = Files.writeString(folder.resolve("feed.token"), "hidden-file\n");
        Path file = Files.writeString(
                folder.resolve("broker.conf"),
                "rbmq.credentials = [hidden-a, hidden-b]\nrbmq.client.token = hidden-c\nrbmq.users = [\n"
                        + "{ name = feed, token-file = \"" + token + "\", publish = [\"a/#\"] }\n"
                        + "{ name = desk, token = hidden-d, admin = true }\n"
                        + "{ name = ops, token-sha256 = \"" + "ab".repeat(32) + "\" }]\n");
        assertThat(check(file)).as(recorded.err()).isZero();
        assertThat(recorded.out()).doesNotContain("hidden", "abab");
        assertThat(recorded.err()).doesNotContain("hidden", "abab");
        assertThat(recorded.out().lines())
                .contains(
                        "rbmq.credentials = [***, ***] # " + file + ": 1",
                        "rbmq.client.token = *** # " + file + ": 2",
                        "rbmq.users[0].name = \"feed\" # " + file + ": 4",
                        "rbmq.users[0].token-file = \"" + token + "\" # " + file + ": 4",
                        "rbmq.users[1].token = *** # " + file + ": 5",
                        "rbmq.users[2].token-sha256 = *** # " + file + ": 6");
    }

    @Test
    void shouldPrintNothingButAllMistakesWhenThereAreAny() throws IOException {
        Path file = Files.writeString(
                folder.resolve("broker.conf"), "rbmq.insecure = maybe\nrbmq.log-level = loud\nrbmq.prot = 1\n");
        assertThat(check(file)).isEqualTo(3);
        assertThat(recorded.out()).isEmpty();
        assertThat(recorded.err().lines())
                .satisfiesExactly(
                        first -> assertThat(first).startsWith("rbmq: " + file + ": 1: rbmq.insecure: "),
                        second ->
                                assertThat(second).startsWith("rbmq: " + file + ": 2: rbmq.log-level: \"loud\" is not"),
                        third -> assertThat(third).startsWith("rbmq: " + file + ": 3: rbmq.prot: is not a known key"));
    }

    @Test
    void shouldOpenNoPort() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Path file = Files.writeString(
                    folder.resolve("broker.conf"),
                    "rbmq.port = " + taken.getLocalPort() + "\nrbmq.admin.port = " + taken.getLocalPort());
            assertThat(check(file)).as(recorded.err()).isZero();
        }
    }
}
