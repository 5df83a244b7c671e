package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the lists of topics and clients that an operator's scripts read over HTTP. */
@Tag("once")
@Timeout(600)
final class ApiSystemTest {
    private RunningBroker running = new RunningBroker();
    private AdminApi api = new AdminApi(running);

    @AfterEach
    void close() {
        running.close();
    }

    private void open(String... settings) {
        running.close();
        running = new RunningBroker(settings);
        api = new AdminApi(running);
    }

    private Publisher publishTo(String... topics) throws Exception {
        Publisher publisher = running.publisher();
        for (String topic : topics) {
            publisher.topic(topic).announced().get(60, TimeUnit.SECONDS);
        }
        return publisher;
    }

    private Subscriber subscribe(String name, String filter) throws Exception {
        Subscriber subscriber =
                running.subscriber(running.subscriberSettings().withName(name), new SubscriberCallback() {});
        subscriber.subscribe(filter, message -> {}).ready().get(60, TimeUnit.SECONDS);
        return subscriber;
    }

    private static List<String> names(List<? extends Config> list) {
        return list.stream().map(each -> each.getString("name")).toList();
    }

    @Test
    void shouldFilterAndCutTheListOfTopicsAndSayHowManyThereAre() throws Exception {
        publishTo("prices", "prices/eur", "prices/usd", "trades");
        Config answer = api.object("/api/topics?sort=name&limit=2&filter=" + AdminApi.encode("prices/#"));
        assertThat(answer.getInt("total")).isEqualTo(4);
        assertThat(answer.getInt("matching")).isEqualTo(3);
        assertThat(answer.getInt("shown")).isEqualTo(2);
        assertThat(names(answer.getConfigList("topics"))).containsExactly("prices", "prices/eur");
        assertThat(names(api.list("topics", "?filter=trades"))).containsExactly("trades");
        assertThat(names(api.list("topics", "?sort=name&contains=S/E"))).containsExactly("prices/eur");
        assertThat(names(api.list("topics", "?contains=prices&filter=" + AdminApi.encode("+/usd"))))
                .containsExactly("prices/usd");
        assertThat(api.text("/api/topics?filter=none"))
                .startsWith("{\"total\":4,\"matching\":0,\"shown\":0,")
                .endsWith("\"topics\":[]}\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "topics?sort=rates; sort=\"rates\" is not one of rate, in, out, lag, lost, delay, publishers,"
                        + " subscribers, name",
                "topics?limt=5; unknown parameter \"limt\"; allowed are filter, contains, sort, limit, details",
                "topics?limit=0; limit=\"0\" is not a number from 1 to 10000",
                "topics?limit=-1; limit=\"-1\" is not a number from 1 to 10000",
                "topics?limit=99999999999; limit=\"99999999999\" is not a number from 1 to 10000",
                "topics?limit=1001&details=true; limit=\"1001\" is not a number from 1 to 1000",
                "topics?limit=1e3; limit=\"1e3\" is not a number from 1 to 10000",
                "topics?limit; limit=\"\" is not a number from 1 to 10000",
                "topics?limit=1&limit=2; parameter \"limit\" is repeated",
                "topics?details=yes; details=\"yes\" is not one of true, false",
                "topics?filter=%23/a; filter: filter=\"#/a\" contains # before the last level",
                "topics?filter=; filter: topic.length=0 is not in the range 1 to 255",
                "topics?filter=%FF%; malformed URL",
                "topics?%E2%80%AE%0A=1; unknown parameter \"??\"; allowed are",
                "clients?role=peer; role=\"peer\" is not one of any, publisher, subscriber",
                "clients?details=true; unknown parameter \"details\"; allowed are filter, role, sort, limit",
                "status?limit=1; unknown parameter \"limit\"; there are none"
            })
    void shouldRefuseInvalidParametersAndNameTheAllowedOnes(String request, String reason) throws Exception {
        // The JDK's HTTP client refuses to send some of these URLs.
        try (Socket socket =
                new Socket("127.0.0.1", running.broker().adminAddress().getPort())) {
            String head = "GET /api/" + request + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(UTF_8));
            String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
            assertThat(answer).startsWith("HTTP/1.1 400 ");
            assertThat(answer.split("\r\n\r\n", 2)[1]).contains(reason).hasLineCount(1);
        }
    }

    @Test
    void shouldMeasureRatesOverAStatedWindowOnlyWhileItIsAsked() throws Exception {
        subscribe("desk", "prices");
        TopicPublisher prices = publishTo("prices").topic("prices");
        Config first = api.object("/api/topics");
        assertThat(first.getLong("windowMs")).isZero();
        assertThat(first.getConfigList("topics").get(0).hasPath("inBytesPerSecond"))
                .isFalse();
        await().until(() -> {
            assertThat(prices.publish(new byte[996])).isEqualTo(PublishResult.PUBLISHED);
            Config answer = api.object("/api/topics");
            Config topic = answer.getConfigList("topics").get(0);
            return answer.getLong("windowMs") >= 900
                    && answer.getLong("windowMs") <= 10_000
                    && topic.getDouble("inBytesPerSecond") > 0
                    && topic.getDouble("outBytesPerSecond") > 0
                    && topic.getDouble("inTransfersPerSecond") > 0
                    && topic.getDouble("outTransfersPerSecond") > 0;
        });
        long sent = 1000 * prices.publishedCount();
        await().until(() -> api.object("/api/status").getLong("sentBytes") == sent);
        List<? extends Config> publishers = api.list("clients", "?role=publisher");
        assertThat(publishers).singleElement().satisfies(client -> {
            assertThat(client.getLong("receivedBytes")).isEqualTo(sent);
            assertThat(client.getLong("sentBytes")).isZero();
        });
    }

    @Test
    void shouldNameTheRuleOfATopicThatHasOnlySubscribers() throws Exception {
        open("rbmq.topics = [{ match = \"prices/#\", slow-policy = skip }]");
        subscribe("desk", "prices/eur");
        assertThat(api.list("topics", "").get(0).getString("rule")).isEqualTo("prices/#");
    }

    @Test
    void shouldNotForgetWhatWasSentWhenSubscribersAndPublishersLeave() throws Exception {
        Subscriber desk = subscribe("desk", "prices");
        subscribe("other", "prices");
        Publisher publisher = publishTo("prices");
        Publisher staying = publishTo("prices");
        assertThat(publisher.publish("prices", new byte[996])).isEqualTo(PublishResult.PUBLISHED);
        await().until(() -> api.object("/api/status").getLong("sentBytes") == 2000);
        desk.close();
        await().until(() -> api.object("/api/status").getInt("subscribers") == 1);
        publisher.close();
        await().until(() -> api.object("/api/status").getInt("publishers") == 1);
        await().until(() -> api.object("/api/status").getLong("sentBytes") == 2000);
        await().until(() -> api.list("topics", "").get(0).getLong("sentBytes") == 2000);
        assertThat(api.list("topics", "").get(0).getLong("receivedBytes")).isEqualTo(1000);
        assertThat(api.object("/api/status").getLong("disconnects.graceful")).isEqualTo(2);
        staying.close();
    }

    @Test
    void shouldNameTheSlowestClientWithItsUserAndSinceWhenItDelaysPublishers() throws Exception {
        String[] small = {
            "rbmq.users = [{name = risk, token = risk-token, subscribe = [\"#\"]}]",
            "rbmq.anonymous { publish = [\"#\"], subscribe = [\"#\"] }",
            "rbmq.broker.capacity = 10000",
            "rbmq.subscriber.capacity = 10000",
            "rbmq.publisher.capacity = 10000",
            "rocketbufs.heartbeat-interval = 400 ms"
        };
        open(small);
        RocketBufs own = running.opened(RocketBufs.open(RunningBroker.config(small)));
        ClientSettings settings = running.subscriberSettings().withName("slow").withToken("risk-token");
        Subscriber slow = running.opened(Subscriber.connect(own, settings, new SubscriberCallback() {}));
        Subscription paused = slow.subscribe("prices", message -> {});
        paused.ready().get(60, TimeUnit.SECONDS);
        subscribe("fast", "prices");
        TopicPublisher prices = publishTo("prices").topic("prices");
        paused.pause();
        await().until(() -> {
            while (prices.tryPublish(new byte[500]) == PublishResult.PUBLISHED) {
                continue;
            }
            return api.object("/api/status").getInt("slowSubscribers") > 0
                    && api.object("/api/status").getInt("slowSubscriptions") > 0;
        });
        await().until(() -> names(api.list("clients", "?sort=lag&limit=1")).equals(List.of("slow")));
        await().until(() -> names(api.list("clients", "?sort=delay&limit=1")).equals(List.of("slow")));
        Config client = api.list("clients", "?sort=lag&limit=1").get(0);
        assertThat(client.getString("user")).isEqualTo("risk");
        assertThat(client.getString("role")).isEqualTo("subscriber");
        assertThat(client.getString("transport")).isEqualTo("tcp");
        assertThat(client.getString("address")).startsWith("127.0.0.1:");
        assertThat(client.getStringList("features")).contains("filters", "slow");
        assertThat(client.getInt("topics")).isEqualTo(1);
        assertThat(client.getLong("delayMs")).isGreaterThanOrEqualTo(200);
        assertThat(client.getLong("worstLagBytes")).isPositive();
        assertThat(Instant.parse(client.getString("connectedAt"))).isBefore(Instant.now());
        Config status = api.object("/api/status");
        Config worst = status.getConfigList("slow").get(0);
        assertThat(worst.getString("name")).isEqualTo("slow");
        assertThat(worst.getString("topic")).isEqualTo("prices");
        assertThat(worst.getString("policy")).isEqualTo("block");
        assertThat(Instant.parse(worst.getString("since"))).isBefore(Instant.now());
        Config slowest = status.getConfigList("slowClients").get(0);
        assertThat(slowest.getString("name")).isEqualTo("slow");
        assertThat(slowest.getString("topic")).isEqualTo("prices");
        assertThat(slowest.getInt("subscriptions")).isEqualTo(1);
        assertThat(slowest.getLong("lagBytes")).isPositive();
        assertThat(status.getLong("heldBackMs")).isGreaterThanOrEqualTo(200);
        assertThat(api.list("clients", "?filter=RISK")).hasSize(1);
        assertThat(api.list("clients", "?filter=absent")).isEmpty();
        await().until(() -> api.list("clients", "?role=publisher").get(0).getLong("waitedMs") > 0);
        paused.resume();
        await().until(() -> api.object("/api/status").getInt("slowSubscriptions") == 0);
    }

    @Test
    void shouldShowHostileNamesAsPlainText() throws Exception {
        String script = "<script>alert(\"1\")</script>&\\";
        String rightToLeft = "\u202egnp.exe\u2066\u2028";
        String longest = "x".repeat(255);
        publishTo(script, rightToLeft, longest);
        subscribe("a\n\u0085\"\u001b[2J\ud83d\ude00", "t");
        HttpResponse<String> response = api.get("/api/topics?sort=name");
        assertThat(response.headers().firstValue("content-type")).hasValue("application/json; charset=utf-8");
        assertThat(names(api.list("topics", ""))).containsExactlyInAnyOrder(script, rightToLeft, longest, "t");
        assertThat(names(api.list("topics", "?filter=" + AdminApi.encode(rightToLeft))))
                .containsExactly(rightToLeft);
        assertThat(names(api.list("clients", "?role=subscriber")))
                .containsExactly("a\ufffd\ufffd\"\ufffd[2J\ud83d\ude00");
    }

    @Test
    void shouldAnswerOthersWhileAClientReadsItsAnswerByteByByte() throws Exception {
        Publisher publisher = running.publisher();
        List<String> topics = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            topics.add("x".repeat(200) + i);
        }
        for (String topic : topics) {
            publisher.topic(topic).announced().get(60, TimeUnit.SECONDS);
        }
        String request = "GET /api/topics?limit=1000&details=true HTTP/1.1\r\nHost: a\r\n\r\n";
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Socket socket = new Socket();
            socket.setReceiveBufferSize(4096);
            socket.connect(running.broker().adminAddress());
            running.opened(socket);
            sockets.add(socket);
            socket.getOutputStream().write(request.repeat(40).getBytes(UTF_8));
        }
        for (int i = 0; i < 3; i++) {
            for (Socket socket : sockets) {
                InputStream in = socket.getInputStream();
                assertThat(in.read()).isNotNegative();
            }
            assertThat(api.object("/api/topics").getInt("shown")).isEqualTo(100);
            assertThat(api.text("/health/live")).isEqualTo("live\n");
        }
    }
}
