package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.reference.ReferencePage;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.log.LogException;
import io.rocketbufs.rocketlog.protocol.LogGreetingLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.RefusedRequest;
import io.rocketbufs.settings.SettingsException;
import java.lang.reflect.Field;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(600)
final class LogBrokerSystemTest {
    @TempDir
    Path folder;

    private static HttpResponse<String> get(RunningLogBroker running, String path) throws Exception {
        URI uri =
                URI.create("http://127.0.0.1:" + running.broker().adminAddress().getPort() + path);
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void shouldShowItsStateOnTheAdminPort() throws Exception {
        try (RunningLogBroker running = new RunningLogBroker(folder).withTopic("orders", 2)) {
            RawProducer producer = running.opened(new RawProducer(running.clients(), running.address()));
            producer.announce("orders");
            producer.send(1, RawProducer.batch(1, 0, 0, "a", "b"));
            producer.send(1, RawProducer.batch(1, 0, 0, "a", "b"));
            producer.send(1, RawProducer.batch(1, 0, 9, "gap"));
            producer.send(0, ByteBuffer.allocate(100));
            producer.awaitResults(4);
            assertThat(get(running, "/health").statusCode()).isEqualTo(200);
            assertThat(get(running, "/health/live").body()).contains("live");
            assertThat(get(running, "/api/status").body())
                    .contains("\"ready\":true")
                    .contains("\"producers\":1")
                    .contains("\"partitions\":2")
                    .contains("\"appendedBatches\":1")
                    .contains("\"duplicateBatches\":1")
                    .contains("\"refusedBatches\":2,\"refusals\":{\"invalid\":1,\"out-of-order\":1,\"fenced\":0,"
                            + "\"storage-full\":0,\"failed\":0,\"topic-deleted\":0},");
            assertThat(get(running, "/metrics").body())
                    .contains("rocketlog_refused_batches_total{reason=\"invalid\"} 1.0")
                    .contains("rocketlog_refused_batches_total{reason=\"out-of-order\"} 1.0")
                    .contains("rocketlog_refused_batches_total{reason=\"storage-full\"} 0.0");
            assertThat(get(running, "/api/topics").body()).contains("\"name\":\"orders-1\"", "\"nextOffset\":2");
            assertThat(get(running, "/nothing").statusCode()).isEqualTo(404);
            ReferencePage.read("metrics.md")
                    .checkMetrics(Set.of("rocketlog"), get(running, "/metrics").body());
        }
    }

    @Test
    void shouldNameClientsEvenIfANameImitatesAnotherClient() throws Exception {
        try (RunningLogBroker running = new RunningLogBroker(folder, "rocketlog.limits.connections = 2")) {
            String forged = "feed\" at 10.0.0.9:1 left: idle\n2026-11-29 ERROR \u202e\u001b[2J";
            try (LoggedMessages logged = new LoggedMessages(LogClientSession.class)) {
                RawProducer hostile = running.opened(
                        new RawProducer(running.clients(), running.address(), LogGreetingLayout.write(forged)));
                running.opened(new RawProducer(running.clients(), running.address(), LogGreetingLayout.write("")));
                assertThat(get(running, "/api/clients").body())
                        .startsWith(
                                "[{\"name\":\"feed\\\" at 10.0.0.9:1 left: idle\ufffd2026-11-29 ERROR \ufffd\ufffd[2J\""
                                        + ",\"address\":\"127.0.0.1:")
                        .contains("\"transport\":\"", "\"connectedAt\":\"20", "\"producers\":0,\"openSegments\":0}")
                        .contains("{\"name\":\"\",");
                assertThatThrownBy(() ->
                                new RawProducer(running.clients(), running.address(), LogGreetingLayout.write("late")))
                        .rootCause()
                        .hasMessageContaining("connections=2 connections, and cannot accept \"late\" at 127.0.0.1:");
                hostile.connection()
                        .sendControlMessage(LogMessageLayout.refused(
                                1, new RefusedRequest(LogRefusal.INVALID, "a client cannot refuse", "send requests")));
                await().until(() -> !logged.all().isEmpty());
                assertThat(logged.all())
                        .singleElement()
                        .asString()
                        .startsWith("\"feed' at 10.0.0.9:1 left: idle\ufffd2026-11-29 ERROR \ufffd\ufffd[2J\""
                                + " at 127.0.0.1:")
                        .contains(" left: ", "must not send REFUSED");
                await().until(() -> !get(running, "/api/clients").body().contains("10.0.0.9"));
            }
        }
    }

    /** The sessions of a broker that is closed while the first session is being added. */
    private static final class SessionsOfAClosingBroker extends CopyOnWriteArraySet<LogClientSession> {
        private static final long serialVersionUID = 1L;

        private final transient LogBroker broker;

        private SessionsOfAClosingBroker(LogBroker broker) {
            this.broker = broker;
        }

        @Override
        public boolean add(LogClientSession session) {
            broker.close(); // on this worker, because closing the listener waits for it
            return super.add(session);
        }
    }

    @Test
    void shouldRefuseAClientThatConnectsWhileTheBrokerIsBeingClosed() throws Exception {
        try (RunningLogBroker running = new RunningLogBroker(folder, "rocketbufs.transport = tcp")) {
            Set<LogClientSession> sessions = new SessionsOfAClosingBroker(running.broker());
            Field field =
                    LogBroker.class.getDeclaredField("sessions"); // no callback can delay the broker at this point
            field.setAccessible(true);
            field.set(running.broker(), sessions);
            assertThatThrownBy(() -> running.opened(new RawProducer(running.clients(), running.address())))
                    .rootCause()
                    .hasMessageContaining("the broker is starting or closing; try again");
            await().until(sessions::isEmpty);
        }
    }

    @Test
    void shouldLogHowManyPartitionsATopicHas() throws Exception {
        try (RunningLogBroker running = new RunningLogBroker(folder)) {
            try (LoggedMessages logged = new LoggedMessages(LogClientSession.class)) {
                running.withTopic("prices", 1);
                running.withTopic("orders", 2);
                assertThat(logged.all())
                        .anyMatch(line -> line.endsWith(" has created topic prices with 1 partition"))
                        .anyMatch(line -> line.endsWith(" has created topic orders with 2 partitions"));
            }
        }
    }

    @Test
    void shouldRefuseADirectoryThatAnotherBrokerUses() {
        try (RunningLogBroker running = new RunningLogBroker(folder).withTopic("orders", 1)) {
            Config config = RunningLogBroker.config(folder);
            try (RocketBufs second = RocketBufs.open(config)) {
                assertThatExceptionOfType(LogException.class)
                        .isThrownBy(() -> LogBroker.open(second, LogBrokerSettings.from(config)))
                        .withMessageContaining("is in use by")
                        .satisfies(e -> assertThat(e.code()).isEqualTo(LogException.Code.LOCKED));
            }
            running.withTopic("more", 1);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rocketlog.flush = sometimes | rocketlog.flush | is not one of none, interval, always",
                "rocketlog.produce.window = 1000 | rocketlog.produce.window | is not a power of two",
                "rocketlog.produce.ring-capacity = 1 MiB | rocketlog.produce.ring-capacity | rocketlog.batch.longest",
                "rocketlog.address = 0.0.0.0 | rocketlog.address | rocketlog.insecure = true",
                "rocketlog.admin.address = 0.0.0.0 | rocketlog.admin.address | is not a loopback address",
                "rocketlog.batch.longest = 512 MiB | rocketlog.batch.longest | is not in the range"
            })
    void shouldNameTheKeyOfAnInvalidSetting(String setting, String key, String problem) {
        assertThatExceptionOfType(SettingsException.class)
                .isThrownBy(() -> LogBrokerSettings.from(RunningLogBroker.config(folder, setting)))
                .withMessageContaining(key)
                .withMessageContaining(problem);
    }

    @Test
    void shouldReadKeysWithoutALimit() {
        LogBrokerSettings settings = LogBrokerSettings.from(RunningLogBroker.config(
                folder, "rocketlog { retention { time = none, length = none }, insecure = true, address = 0.0.0.0 }"));
        assertThat(settings.log().retentionTime()).isNull();
        assertThat(settings.log().retentionLength()).isZero();
    }
}
