package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportProvider;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the admin interface's responses, access control and timeouts. */
@Tag("once")
@Timeout(600)
final class AdminSystemTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    /** Time limit that is less than the 30 s after which the server closes a connection without a complete request. */
    private static final Duration WITHOUT_TIMEOUTS = Duration.ofSeconds(25);

    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    @Test
    void shouldShowTopicsWithPublishersAndSubscribers() throws Exception {
        RunningBroker running = broker();
        running.subscriber().subscribe("a \"b\" \\", new Messages()).ready().get(60, TimeUnit.SECONDS);
        Publisher publisher = running.publisher(running.client().withName("me\n"));
        publisher.publish("a \"b\" \\", "12345".getBytes(UTF_8));
        assertThat(publisher.flush(10_000)).isTrue();
        assertThat(body(running, "/api/topics?details=true"))
                .startsWith("{\"total\":1,\"matching\":1,\"shown\":1,\"inboxes\":0,\"windowMs\":")
                .contains("{\"name\":\"a \\\"b\\\" \\\\\",\"rule\":null,\"publishers\":1,\"subscribers\":1,")
                .contains("\"receivedBytes\":9,", "\"publisherDetails\":[{\"number\":1,\"name\":\"me\ufffd\",")
                .contains("\"policy\":\"block\",\"lostBytes\":0,\"lagBytes\":0,\"slowForMs\":0,\"delayMs\":0,");
    }

    @Test
    void shouldShowInboxesOnlyAsANumber() throws Exception {
        RunningBroker running = broker();
        String inbox = InboxName.random();
        RawClient responder = new RawClient(running, Role.PUBLISHER);
        responder.createBuffer(1, 4096);
        responder.announce(1, 4096, inbox);
        assertThat(responder.nextNotice()).startsWith("ANNOUNCED");
        String pages = body(running, "/api/topics?details=true")
                + body(running, "/api/status")
                + body(running, "/api/clients")
                + body(running, "/metrics");
        assertThat(pages)
                .contains("{\"total\":0,\"matching\":0,\"shown\":0,\"inboxes\":1,", "\"topics\":0,\"inboxes\":1,")
                .doesNotContain("$R/");
    }

    @Test
    void shouldShowTheCountersOfTheBroker() throws Exception {
        RunningBroker running = broker();
        Publisher publisher = running.publisher();
        publisher.publish("t", new byte[6]);
        assertThat(publisher.flush(10_000)).isTrue();
        assertThat(body(running, "/api/status"))
                .contains("\"publishers\":1,\"subscribers\":0,\"topics\":1,\"inboxes\":0,\"windowMs\":")
                .contains("\"receivedBytes\":10,\"receivedTransfers\":1,");
        assertThat(body(running, "/metrics"))
                .contains("\nrbmq_publishers 1.0\n", "\nrbmq_received_bytes_total 10.0\n", "\nrocketbufs_connections ")
                .contains("\njvm_memory_used_bytes{", "\nprocess_uptime_seconds ", "\nrbmq_sent_bytes_total 0.0\n")
                .doesNotContain("peer=", "buffer=")
                .contains("\nrbmq_malformed_frames_total 0.0\n", "\nrbmq_refused_connections_total 0.0\n");
        publisher.close();
        await().until(() -> body(running, "/metrics").contains("\nrbmq_publishers 0.0\n"));
        assertThat(body(running, "/metrics")).contains("\nrbmq_received_bytes_total 10.0\n");
    }

    @Test
    void shouldAcceptNoOtherMethodsThanGetAndHeadExceptForReload() throws Exception {
        RunningBroker running = broker();
        assertThat(get(running, "/health", null).statusCode()).isEqualTo(200);
        assertThat(get(running, "/health/live", null).statusCode()).isEqualTo(200);
        assertThat(get(running, "/health/ready", null).statusCode()).isEqualTo(200);
        assertThat(get(running, "/nowhere", null).statusCode()).isEqualTo(404);
        HttpResponse<String> post = post(running, "/api/status", null);
        assertThat(post.statusCode()).isEqualTo(405);
        assertThat(post.headers().firstValue("Allow")).contains("GET, HEAD");
        HttpResponse<String> read = get(running, "/api/reload", null);
        assertThat(read.statusCode()).isEqualTo(405);
        assertThat(read.headers().firstValue("Allow")).contains("POST");
        HttpRequest withContent = request(running, "/api/reload", null)
                .POST(HttpRequest.BodyPublishers.ofString("x"))
                .build();
        assertThat(send(withContent).statusCode()).isEqualTo(400);
        HttpRequest head = request(running, "/api/status", null)
                .method("HEAD", HttpRequest.BodyPublishers.noBody())
                .build();
        assertThat(send(head).statusCode()).isEqualTo(200);
    }

    @Test
    void shouldBeUnhealthyWhileAWorkerDoesNotRespond() throws Exception {
        Transport[] transport = new Transport[1];
        RunningBroker running = new RunningBroker(config -> {
            transport[0] = ServiceLoader.load(TransportProvider.class).stream()
                    .map(ServiceLoader.Provider::get)
                    .filter(provider -> provider.name().equals("tcp"))
                    .findAny()
                    .orElseThrow()
                    .open(config);
            return RocketBufs.open(config, transport[0]);
        });
        opened.add(running);
        CompletableFuture<Void> released = new CompletableFuture<>();
        transport[0].workers().get(0).execute(released::join);
        for (String path : List.of("/health", "/health/live", "/health/ready")) {
            HttpResponse<String> response = get(running, path, null);
            assertThat(response.statusCode()).as(path).isEqualTo(503);
            assertThat(response.body()).matches("not (live|ready): no answer from tcp worker 1 of [0-9]+\n");
        }
        released.complete(null);
        await().until(() -> get(running, "/health", null).statusCode() == 200);
    }

    @Test
    void shouldRequireATokenExceptOnLoopbackAndForHealth() throws Exception {
        RunningBroker running = broker("rbmq.admin.address = 0.0.0.0", "rbmq.credentials = [\"old\", \"new\"]");
        for (String path : List.of("/", "/api/status", "/api/topics", "/metrics")) {
            assertThat(get(running, path, null).statusCode()).as(path).isEqualTo(401);
            assertThat(get(running, path, "wrong").statusCode()).as(path).isEqualTo(401);
            assertThat(get(running, path, "old").statusCode()).as(path).isEqualTo(200);
            assertThat(get(running, path, "new").statusCode()).as(path).isEqualTo(200);
        }
        for (String path : List.of("/health", "/health/live", "/health/ready")) {
            assertThat(get(running, path, null).statusCode()).as(path).isEqualTo(200);
        }
        assertThat(get(running, "/healthy", null).statusCode()).isEqualTo(401);
    }

    @Test
    void shouldServeOnlyAdministratorsExceptOnLoopback() throws Exception {
        String[] users = {
            "rbmq.users = [{name = ops, token = ops-token, admin = true}",
            "{name = desk, token = desk-token, publish = [\"#\"], subscribe = [\"#\"]}]"
        };
        RunningBroker exposed = broker("rbmq.admin.address = 0.0.0.0", users[0], users[1]);
        for (String path : List.of("/", "/api/status", "/api/topics", "/metrics")) {
            assertThat(get(exposed, path, "ops-token").statusCode()).as(path).isEqualTo(200);
            assertThat(get(exposed, path, null).statusCode()).as(path).isEqualTo(401);
            assertThat(get(exposed, path, "").statusCode()).as(path).isEqualTo(401);
            assertThat(get(exposed, path, "ops-toke").statusCode()).as(path).isEqualTo(401);
            HttpResponse<String> refused = get(exposed, path, "desk-token");
            assertThat(refused.statusCode()).as(path).isEqualTo(403);
            assertThat(refused.body())
                    .isEqualTo("user \"desk\" is not an administrator; set admin = true in the broker's rbmq.users\n");
        }
        assertThat(get(exposed, "/api/status", "x".repeat(64 * 1024)).statusCode())
                .isBetween(400, 499);
        assertThat(get(exposed, "/health", "desk-token").statusCode()).isEqualTo(200);
        // The last reading is reused for 200 ms.
        await().atMost(Duration.ofSeconds(60))
                .until(() -> get(exposed, "/api/status", "ops-token").body().contains("\"admin\":16}"));
        assertThat(get(exposed, "/metrics", "ops-token").body())
                .contains("\nrbmq_refusals_total{reason=\"admin\"} 16.0\n")
                .contains("\nrbmq_refusals_total{reason=\"wrong-token\"} 0.0\n");
        RunningBroker local = broker(users);
        assertThat(get(local, "/api/status", null).statusCode()).isEqualTo(200);
        assertThat(get(local, "/api/status", "desk-token").statusCode()).isEqualTo(200);
    }

    @Test
    void shouldAskABrowserForUserAndToken() throws Exception {
        RunningBroker running = broker(
                "rbmq.admin.address = 0.0.0.0",
                "rbmq.credentials = [nameless]",
                "rbmq.users = [{name = ops, token = \"ops:token\", admin = true}, {name = desk, token = desk-token}]");
        for (String path : List.of("/", "/web/main.js", "/api/status", "/api/history", "/nowhere")) {
            for (String wrong :
                    List.of("", "ops", "ops:", "ops:wrong", "desk:ops:token", ":ops:token", "desk:desk-token")) {
                HttpResponse<String> refused = send(basic(running, path, wrong).build());
                assertThat(refused.statusCode()).as(path + " " + wrong).isEqualTo(401);
                assertThat(refused.headers().firstValue("WWW-Authenticate"))
                        .contains("Basic realm=\"RBMQ broker\", charset=\"UTF-8\"");
            }
            int found = path.equals("/nowhere") ? 404 : 200;
            assertThat(send(basic(running, path, "ops:ops:token").build()).statusCode())
                    .isEqualTo(found);
            // Users defined by rbmq.credentials have no name.
            assertThat(send(basic(running, path, "x:nameless").build()).statusCode())
                    .isEqualTo(found);
        }
        assertThat(send(basic(running, "/api/status", "desk:desk-token").build())
                        .body())
                .contains("user \"desk\" is not an administrator");
        HttpRequest ofScript = request(running, "/api/status", null)
                .header("Accept", "application/json")
                .build();
        assertThat(send(ofScript).headers().firstValue("WWW-Authenticate"))
                .as("no challenge that a browser understands")
                .contains("Bearer realm=\"RBMQ broker\"");
        assertThat(get(running, "/", null).headers().firstValue("WWW-Authenticate"))
                .isPresent();
        assertThat(get(running, "/", "desk-token").headers().firstValue("WWW-Authenticate"))
                .isEmpty();
    }

    @Test
    void shouldNotChangeAnythingWithCredentialsThatABrowserAddsOnItsOwn() throws Exception {
        RunningBroker running =
                broker("rbmq.admin.address = 0.0.0.0", "rbmq.users = [{name = ops, token = ops-token, admin = true}]");
        HttpRequest forged = basic(running, "/api/reload", "ops:ops-token")
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        HttpResponse<String> refused = send(forged);
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.body()).contains("needs a bearer token");
        assertThat(post(running, "/api/reload", "ops-token").statusCode()).isEqualTo(200);
    }

    @Test
    void shouldNotServeASiteThatChangesTheAddressOfItsNameWhereNoTokenIsNeeded() throws Exception {
        RunningBroker local = broker("rbmq.credentials = [secret]");
        RunningBroker insecure = broker("rbmq.admin.address = 0.0.0.0", "rbmq.insecure = true");
        for (RunningBroker running : List.of(local, insecure)) {
            int port = running.broker().adminAddress().getPort();
            for (String foreign : List.of(
                    "evil.example", "evil.example:" + port, "127.0.0.1.evil.example", "localhost.evil.example.")) {
                for (String path : List.of("/", "/api/status", "/metrics", "/healthy")) {
                    assertThat(responseTo(running, path, foreign)).as(path).startsWith("HTTP/1.1 403 ");
                }
                assertThat(responseTo(running, "/health/live", foreign)).startsWith("HTTP/1.1 200 ");
            }
            for (String own : List.of(
                    "127.0.0.1:" + port,
                    "LOCALHOST:" + port,
                    "localhost.:" + port,
                    "[::1]:" + port,
                    "a.localhost",
                    "broker")) {
                assertThat(responseTo(running, "/api/status", own)).as(own).startsWith("HTTP/1.1 200 ");
            }
            assertThat(running.broker().state().refusals()).containsEntry("admin", 16L);
        }
        assertThat(responseTo(local, "/api/status", "evil\u0085.example:1"))
                .contains("host=\"evil\ufffd.example:1\" is not a name of this interface", "rbmq.admin.hosts");
        String token = "broker.example\r\nAuthorization: Bearer ";
        assertThat(responseTo(local, "/api/status", token + "secret")).startsWith("HTTP/1.1 200 ");
        assertThat(responseTo(local, "/api/status", token + "wrong")).startsWith("HTTP/1.1 403 ");
        assertThat(responseTo(insecure, "/api/status", token + "secret")).startsWith("HTTP/1.1 403 ");
    }

    @Test
    void shouldServeUnderTheNamesOfTheConfiguration() throws Exception {
        RunningBroker running = broker("rbmq.admin.hosts = [Broker.Example, host.docker.internal]");
        for (String own : List.of("broker.example:80", "BROKER.EXAMPLE.", "host.docker.internal:7611")) {
            assertThat(responseTo(running, "/api/status", own)).as(own).startsWith("HTTP/1.1 200 ");
        }
        assertThat(responseTo(running, "/api/status", "a.broker.example")).startsWith("HTTP/1.1 403 ");
    }

    @Test
    void shouldRefuseRequestsThatPagesOfOtherSitesCause() throws Exception {
        RunningBroker local = broker();
        RunningBroker exposed =
                broker("rbmq.admin.address = 0.0.0.0", "rbmq.users = [{name = ops, token = ops-token, admin = true}]");
        for (RunningBroker running : List.of(local, exposed)) {
            for (String site : List.of("cross-site", "same-site")) {
                for (String mode : List.of("no-cors", "navigate")) {
                    HttpRequest caused = basic(running, "/api/topics?contains=x", "ops:ops-token")
                            .header("Sec-Fetch-Site", site)
                            .header("Sec-Fetch-Mode", mode)
                            .build();
                    assertThat(send(caused).statusCode()).as(site + mode).isEqualTo(403);
                }
                HttpRequest link = basic(running, "/", "ops:ops-token")
                        .header("Sec-Fetch-Site", site)
                        .header("Sec-Fetch-Mode", "navigate")
                        .build();
                assertThat(send(link).statusCode()).as(site).isEqualTo(200);
            }
            HttpRequest own = basic(running, "/api/topics", "ops:ops-token")
                    .header("Sec-Fetch-Site", "same-origin")
                    .build();
            assertThat(send(own).statusCode()).isEqualTo(200);
        }
    }

    private static String responseTo(RunningBroker running, String path, String host) throws IOException {
        try (Socket socket =
                new Socket("127.0.0.1", running.broker().adminAddress().getPort())) {
            String head = "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
        }
    }

    @Test
    void shouldTellBrowsersToLoadNothingFromElsewhere() throws Exception {
        RunningBroker running = broker();
        for (String path : List.of("/", "/web/main.js", "/api/status", "/metrics", "/nowhere")) {
            HttpResponse<String> answer = get(running, path, null);
            assertThat(answer.headers().firstValue("Content-Security-Policy").orElseThrow())
                    .as(path)
                    .startsWith("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src")
                    .contains("frame-ancestors 'none'", "form-action 'none'", "trusted-types 'none'");
            assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
        }
        assertThat(get(running, "/", null).headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
        assertThat(get(running, "/web/main.js", null).headers().firstValue("Content-Type"))
                .contains("text/javascript; charset=utf-8");
        assertThat(get(running, "/web/../version.properties", null).statusCode())
                .isEqualTo(404);
        assertThat(get(running, "/web/", null).statusCode()).isEqualTo(404);
        assertThat(get(running, "/nowhere", null).body()).contains("/api/status /api/topics /api/clients /api/history");
    }

    @Test
    void shouldServeTheChartsLibraryWithoutChanges() throws Exception {
        RunningBroker running = broker();
        byte[] script = get(running, "/web/uPlot.iife.min.js", null).body().getBytes(UTF_8);
        // The hash of the uPlot 1.6.32 file in the npm registry.
        assertThat(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(script)))
                .isEqualTo("19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f");
        assertThat(get(running, "/web/uPlot-LICENSE", null).body()).contains("The MIT License");
    }

    @Test
    void shouldShowWhatItIsAndItsMemoryAndItsHistory() throws Exception {
        RunningBroker running = broker();
        assertThat(body(running, "/api/status"))
                .containsPattern("\"version\":\"[^\"]+\",\"uptimeMs\":[0-9]+,\"startedAt\":\"20")
                .containsPattern("\"memoryBytes\":[1-9][0-9]+,\"memoryLimitBytes\":[1-9][0-9]+,")
                .contains("\"heldBackMs\":0,", "\"slowClients\":[]");
        assertThat(body(running, "/api/history")).startsWith("{\"ageMs\":[").contains("\"heldBackPercent\":[");
        assertThat(get(running, "/api/history?x=1", null).statusCode()).isEqualTo(400);
        // The history is recorded without requests, so it exists before a page is opened.
        await().until(() -> body(running, "/api/history").matches("(?s)\\{\"ageMs\":\\[[0-9].*"));
    }

    @Test
    void shouldReloadTheConfiguration() throws Exception {
        RunningBroker running = broker();
        assertThat(post(running, "/api/reload", null).body()).isEqualTo("{\"changes\":[],\"notApplied\":[]}\n");
        running.configure("rbmq.broker.capacity = 2 MiB", "rbmq.port = 7620");
        HttpResponse<String> done = post(running, "/api/reload", null);
        assertThat(done.statusCode()).isEqualTo(200);
        assertThat(done.body())
                .isEqualTo("{\"changes\":[\"rbmq.broker.capacity: 1 MiB -> 2 MiB, for topics announced from now on\"],"
                        + "\"notApplied\":[\"rbmq.port: 0 -> 7620 is not applied, because it needs a restart\"]}\n");
        running.configure("rbmq.broker.capacity = x", "rbmq.port = 0");
        HttpResponse<String> refused = post(running, "/api/reload", null);
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body())
                .startsWith("{\"mistakes\":[\"String: 6: rbmq.broker.capacity: \\\"x\\\" cannot be read: expected a");
    }

    @Test
    void shouldNotReloadForWebPages() throws Exception {
        RunningBroker running = broker();
        running.configure("rbmq.limits.topics-per-connection = 5");
        HttpRequest forged = request(running, "/api/reload", null)
                .header("Origin", "http://example.org")
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        assertThat(send(forged).statusCode()).isEqualTo(403);
        // Some browsers omit the origin.
        for (String site : List.of("cross-site", "same-site", "same-origin")) {
            HttpRequest withoutOrigin = request(running, "/api/reload", null)
                    .header("Sec-Fetch-Site", site)
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .build();
            assertThat(send(withoutOrigin).statusCode()).as(site).isEqualTo(403);
        }
        assertThat(running.broker().reload().changes()).hasSize(1);
    }

    @Test
    void shouldReloadOnlyForAdministratorsOfTheConfigurationInForce() throws Exception {
        String users = "rbmq.users = [{name = desk, token = desk-token}, {name = ops, token = ops-token, admin = ";
        String address = "rbmq.admin.address = 0.0.0.0";
        RunningBroker running = broker(address, users + "true}]");
        running.configure(address, users + "false}, {name = new, token = new-token, admin = true}]");
        assertThat(post(running, "/api/reload", null).statusCode()).isEqualTo(401);
        assertThat(post(running, "/api/reload", "new-token").statusCode()).isEqualTo(401);
        assertThat(post(running, "/api/reload", "desk-token").statusCode()).isEqualTo(403);
        assertThat(running.broker().state().refusals()).containsEntry("admin", 3L);
        HttpResponse<String> done = post(running, "/api/reload", "ops-token");
        assertThat(done.statusCode()).isEqualTo(200);
        assertThat(done.body())
                .contains("rbmq.users: user \\\"ops\\\": admin: true -> false", "user \\\"new\\\" added")
                .doesNotContain("-token");
        assertThat(post(running, "/api/reload", "ops-token").statusCode()).isEqualTo(403);
        assertThat(get(running, "/api/status", "ops-token").statusCode()).isEqualTo(403);
        assertThat(post(running, "/api/reload", "new-token").body()).contains("\"changes\":[]");
    }

    /** The clients outnumber the threads that create pages, and the connections that the server allows. */
    @ParameterizedTest
    @ValueSource(ints = {40, 400})
    void shouldRespondWhileOtherClientsSendPartialRequests(int count) throws Exception {
        RunningBroker running = broker();
        String[] parts = {"G", "GET /health", "GET /health/live HTTP/1.1\r\nHost: a\r\n", ""};
        for (int i = 0; i < count; i++) {
            Socket slow =
                    new Socket("127.0.0.1", running.broker().adminAddress().getPort());
            opened.add(slow);
            slow.getOutputStream().write(parts[i % parts.length].getBytes(UTF_8));
        }
        for (int i = 0; i < 20; i++) {
            HttpRequest request = request(running, "/health/live", null)
                    .timeout(WITHOUT_TIMEOUTS)
                    .build();
            assertThat(send(request).statusCode()).isEqualTo(200);
        }
    }

    private RunningBroker broker(String... settings) {
        RunningBroker running = new RunningBroker(settings);
        opened.add(running);
        return running;
    }

    private static String body(RunningBroker running, String path) throws Exception {
        HttpResponse<String> response = get(running, path, null);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }

    private static HttpResponse<String> get(RunningBroker running, String path, String token) throws Exception {
        return send(request(running, path, token).build());
    }

    private static HttpResponse<String> post(RunningBroker running, String path, String token) throws Exception {
        return send(request(running, path, token)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build());
    }

    private static HttpRequest.Builder request(RunningBroker running, String path, String token) {
        int port = running.broker().adminAddress().getPort();
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(LIMIT);
        return token == null ? request : request.header("Authorization", "Bearer " + token);
    }

    private static HttpRequest.Builder basic(RunningBroker running, String path, String userAndToken) {
        String encoded = Base64.getEncoder().encodeToString(userAndToken.getBytes(UTF_8));
        return request(running, path, null).header("Authorization", "Basic " + encoded);
    }

    private static HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        // Each request uses its own client, so that it does not wait for another request's connection.
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }
}
