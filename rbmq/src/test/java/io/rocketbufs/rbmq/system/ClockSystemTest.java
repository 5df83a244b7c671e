package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.process.ShiftedClock;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests in which the clock of the machine changes while a broker and its clients are running. */
@Tag("once")
@Timeout(600)
final class ClockSystemTest {
    @TempDir
    Path folder;

    @Test
    void shouldServeTheSameConnectionsWhenTheClockIsSetBackAndForth() throws Exception {
        ShiftedClock clock = new ShiftedClock(folder);
        Map<String, String> variables = clock.environment();
        long beginNs = System.nanoTime();
        try (BrokerProcess broker = BrokerProcess.startIn(variables);
                RbmqProcess subscriber = client(variables, broker, "sub", "t");
                RbmqProcess responder = client(variables, broker, "respond", "time", "--exec", "cat");
                RbmqProcess publisher = client(variables, broker, "pub", "t", "--lines")) {
            subscriber.awaitErr("subscribed t");
            responder.awaitErr("responding to time");
            int number = 0;
            for (Duration shift :
                    List.of(Duration.ZERO, Duration.ofHours(-1), Duration.ofDays(1), Duration.ofDays(-400))) {
                clock.set(shift);
                publisher.type("message " + ++number + "\n");
                subscriber.awaitOut("message " + number + "\n");
                try (RbmqProcess request = client(variables, broker, "request", "time", "now")) {
                    assertThat(request.exitCode()).as(request.errText()).isZero();
                    assertThat(request.outText()).isEqualTo("now\n");
                }
                assertThat(status(broker).getLong("uptimeMs"))
                        .isBetween(
                                0L,
                                Duration.ofNanos(System.nanoTime() - beginNs).toMillis());
            }
            publisher.endInput();
            assertThat(publisher.exitCode()).as(publisher.errText()).isZero();
            assertThat(subscriber.outText().lines()).hasSize(number);
            assertThat(subscriber.errText()).doesNotContain("again", "missed");
            assertThat(broker.process().errText()).doesNotContain("WARN", "ERROR");
        }
        // Proves that the processes have actually read a shifted time.
        assertThat(clock.readCount()).isPositive();
    }

    private static RbmqProcess client(Map<String, String> variables, BrokerProcess broker, String... command) {
        String[] all = new String[command.length + 2];
        System.arraycopy(command, 0, all, 0, command.length);
        all[command.length] = "--broker";
        all[command.length + 1] = broker.address();
        return RbmqProcess.startIn(variables, all);
    }

    private static Config status(BrokerProcess broker) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + broker.adminAddress() + "/api/status"))
                .timeout(Duration.ofSeconds(60))
                .build();
        return ConfigFactory.parseString(HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body());
    }
}
