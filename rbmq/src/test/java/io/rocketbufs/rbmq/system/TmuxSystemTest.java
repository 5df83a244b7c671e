package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.client.Publisher;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of {@code rbmq top} in tmux, a terminal whose screen the tests can read. */
@Tag("once")
@Timeout(600)
final class TmuxSystemTest {
    private static final int COLUMNS = 100;
    private static final int LINES = 30;
    private static final String HOSTILE = "<script>\u202e" + "w".repeat(244);

    @TempDir
    Path folder;

    private String socket;
    private RunningBroker running;

    @BeforeEach
    void start() throws Exception {
        socket = folder.resolve("tmux").toString();
        running = new RunningBroker();
        Publisher publisher = running.publisher();
        for (String topic : new String[] {"prices/eur", "prices/usd", "trades", HOSTILE}) {
            publisher.topic(topic).announced().get(60, TimeUnit.SECONDS);
        }
    }

    @AfterEach
    void close() throws Exception {
        if (running != null) {
            tmux("kill-server");
            running.close();
        }
    }

    @Test
    void shouldShowWhatEachKeyDoesAndFitIntoAScreenOfAnySize() throws Exception {
        String admin = "127.0.0.1:" + running.broker().adminAddress().getPort();
        tmux(
                "-f",
                "/dev/null",
                "new-session",
                "-d",
                "-x",
                "" + COLUMNS,
                "-y",
                "" + LINES,
                shell("top", "--admin", admin));
        awaitLast("q quit  s sort: rate  / filter: all  4 of 4 topics");
        assertThat(screen().get(0)).startsWith("RBMQ " + admin + "  up ").endsWith("publishers 1  subscribers 0");
        assertThat(text()).contains("<script>\\u202ewww").doesNotContain("\u202e");

        for (String sort : List.of("in", "out", "lag", "lost", "delay", "name", "rate")) {
            tmux("send-keys", "s");
            awaitLast("q quit  s sort: " + sort + "  /");
        }
        tmux("send-keys", "/", "prices/#");
        awaitLast("filter (empty: all topics): prices/#_");
        tmux("send-keys", "Enter");
        awaitLast("/ filter: prices/#  2 of 4 topics");
        assertThat(text()).contains("prices/eur", "prices/usd").doesNotContain("trades", "script");
        tmux("send-keys", "/", "x", "Escape");
        awaitLast("/ filter: prices/#  2 of 4 topics");
        tmux("send-keys", "/", "a#", "Enter");
        await().untilAsserted(() -> assertThat(last()).contains("#"));
        tmux("send-keys", "/", "Enter");
        awaitLast("/ filter: all  4 of 4 topics");

        for (int[] size : new int[][] {{80, 10}, {160, 50}, {80, 24}}) {
            tmux("resize-window", "-x", "" + size[0], "-y", "" + size[1]);
            await().untilAsserted(() -> {
                List<String> lines = screen();
                assertThat(lines).hasSize(size[1]);
                assertThat(lines.get(0)).startsWith("RBMQ ");
                assertThat(lines.get(size[1] - 1)).contains("q quit  s sort: rate");
            });
        }
        tmux("send-keys", "q");
        await().until(() -> text().contains("ended 0"));
        assertThat(text()).startsWith("before").doesNotContain("RBMQ");
    }

    /** Returns a shell command that runs an rbmq command between two lines of text and then waits. */
    private static String shell(String... arguments) {
        StringBuilder command = new StringBuilder("echo before;");
        RbmqProcess.command(arguments)
                .forEach(word -> command.append(" '").append(word).append('\''));
        return command.append("; echo ended $?; read line").toString();
    }

    private void awaitLast(String text) {
        await().atMost(60, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(last()).contains(text));
    }

    private String last() throws Exception {
        List<String> lines = screen();
        return lines.isEmpty() ? "" : lines.get(lines.size() - 1);
    }

    private String text() throws Exception {
        return String.join("\n", screen());
    }

    private List<String> screen() throws Exception {
        return tmux("capture-pane", "-p").lines().toList();
    }

    private String tmux(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("tmux", "-u", "-S", socket));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("TMUX") || name.startsWith("RBMQ_"));
        builder.environment().put("SHELL", "/bin/sh");
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }
}
