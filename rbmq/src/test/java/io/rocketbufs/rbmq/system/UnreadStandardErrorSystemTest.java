package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of a broker whose standard error is a full pipe that is not read, or a file on a full disk. */
@Tag("once")
@Timeout(600)
final class UnreadStandardErrorSystemTest {
    private static final int SIGTERM = 143;
    private static final int TERMINATION_LIMIT_S = 25;

    @Test
    void shouldServeClientsAndEndPromptlyWhenStandardErrorIsNotRead() throws Exception {
        try (BrokerProcess broker = BrokerProcess.startWithUnreadErr()) {
            fillStandardError(broker.process().pid());
            serveAndEnd(broker);
        }
    }

    @Test
    void shouldServeClientsAndEndPromptlyWhenTheDiskUnderTheLogIsFull() throws Exception {
        try (BrokerProcess broker = BrokerProcess.startWithErrInto(new File("/dev/full"))) {
            serveAndEnd(broker);
        }
    }

    private static void serveAndEnd(BrokerProcess broker) throws Exception {
        try (RbmqProcess subscriber = broker.localSubscriber("sub", "topic", "--count", "1")) {
            subscriber.awaitErr("subscribed topic");
            try (RbmqProcess publisher = broker.localPublisher("pub", "topic", "one")) {
                assertThat(publisher.exitCode()).as(publisher.errText()).isZero();
            }
            assertThat(subscriber.exitCode()).as(subscriber.errText()).isZero();
            assertThat(status(broker, "/health/live")).isEqualTo(200);
            broker.process().signal("TERM");
            assertThat(broker.process().exitCode(TERMINATION_LIMIT_S)).isEqualTo(SIGTERM);
        }
    }

    /**
     * Fills the pipe without blocking. Non-blocking mode applies only to the file description that {@code dd} opens, so
     * the broker's own writes still block.
     */
    private static void fillStandardError(long pid) throws Exception {
        for (int length : new int[] {4096, 1}) {
            new ProcessBuilder("dd", "if=/dev/zero", "of=/proc/" + pid + "/fd/2", "bs=" + length, "oflag=nonblock")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        }
    }

    private static int status(BrokerProcess broker, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + broker.adminAddress() + path))
                .timeout(Duration.ofSeconds(60))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }
}
