package io.rocketbufs.rbmq;

import static io.rocketbufs.contract.TlsFiles.clientCertificate;
import static io.rocketbufs.contract.TlsFiles.trust;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.contract.TlsFiles;
import io.rocketbufs.rbmq.broker.ReloadException;
import io.rocketbufs.rbmq.broker.ReloadReport;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of clients that are connected with TLS while the broker's certificates change. */
@Tag("once")
@Timeout(600)
final class TlsReloadSystemTest {
    private static final String USER =
            "{ name = edge1, certificate = \"CN=edge1,O=Example\", publish = [\"#\"]," + " subscribe = [\"#\"] }";
    private static final long HEAP_LENGTH = 4 << 20;
    /**
     * Number of bytes that exceeds the malloc arenas of a few threads, but not 100 leaked contexts in the long test.
     */
    private static final long RESIDENT_LENGTH = 16 << 20;

    @TempDir
    Path folder;

    private final AtomicLong received = new AtomicLong();
    private final AtomicLong faultCount = new AtomicLong();
    private final AtomicLong published = new AtomicLong();
    private final AtomicBoolean ends = new AtomicBoolean();
    private RunningBroker running;

    @BeforeEach
    void start() throws IOException {
        write("server");
        Files.copy(TlsFiles.file("ca.pem"), folder.resolve("ca.pem"));
        running = new RunningBroker(settings(USER));
    }

    @AfterEach
    void close() {
        running.close();
    }

    private String[] settings(String... users) {
        return new String[] {
            "rocketbufs.transport = tls",
            "rocketbufs.tls.certificate = \"" + folder.resolve("broker.pem") + "\"",
            "rocketbufs.tls.key = \"" + folder.resolve("broker.key") + "\"",
            "rocketbufs.tls.client-ca = \"" + folder.resolve("ca.pem") + "\"",
            "rocketbufs.tcp.num-threads = 1",
            "rbmq.users = [" + String.join(", ", users) + "]"
        };
    }

    /** Replaces the broker's certificate and key with those of the given name. */
    private void write(String name) throws IOException {
        write(name, "broker");
    }

    /** Replaces the target's certificate and key with those of the given name. */
    private void write(String name, String target) throws IOException {
        copy(name + ".pem", target + ".pem");
        copy(name + ".key", target + ".key");
    }

    private void copy(String source, String target) throws IOException {
        Files.copy(TlsFiles.file(source), folder.resolve(target), StandardCopyOption.REPLACE_EXISTING);
    }

    private RocketBufs client(String... settings) {
        return running.opened(RocketBufs.open(RunningBroker.config(settings)));
    }

    private RocketBufs edge1() {
        return client("rocketbufs.transport = tls", trust("ca"), clientCertificate("edge1"));
    }

    @Test
    void shouldUseARenewedCertificateForNewConnectionsAndKeepOthers() throws Exception {
        Publisher before = running.opened(Publisher.connect(edge1(), running.client()));
        assertThat(running.reload(settings(USER)).changes()).isEmpty();
        write("elsewhere");
        try (LoggedLines log = new LoggedLines()) {
            ReloadReport report = running.reload(settings(USER));
            assertThat(report.changes())
                    .containsExactly("rocketbufs.tls.certificate: " + folder.resolve("broker.pem")
                            + " now contains \"CN=localhost\", valid until 2119-12-31T23:59:59Z, for new connections");
            assertThat(report.notApplied()).isEmpty();
            assertThat(log.with("now contains"))
                    .containsExactly("INFO " + report.changes().get(0));
        }
        RocketBufs after = edge1();
        assertThatThrownBy(() -> Publisher.connect(after, running.client()))
                .hasMessageContaining("the server's certificate is for broker.example");
        assertThat(before.topic("t").publish("still connected".getBytes(UTF_8))).isEqualTo(PublishResult.PUBLISHED);
        assertThat(before.isConnected()).isTrue();
    }

    @Test
    void shouldChangeNothingIfACertificateCannotBeUsed() throws Exception {
        copy("elsewhere.pem", "broker.pem"); // the key still belongs to the previous certificate
        assertMistakes("rocketbufs.tls.key: the private key does not belong to the certificate");
        write("expired");
        assertMistakes("rocketbufs.tls.certificate: " + folder.resolve("broker.pem")
                + " has changed, but expired at 2020-01-02T00:00:00Z; replace it with a current one");
        Files.delete(folder.resolve("broker.pem"));
        assertMistakes("rocketbufs.tls.certificate: cannot read " + folder.resolve("broker.pem")
                + ": no such file or directory");
        // The refused reloads have removed neither the user, which they did not contain, nor the previous certificate.
        try (Publisher publisher = Publisher.connect(edge1(), running.client())) {
            assertThat(publisher.isConnected()).isTrue();
        }
    }

    private void assertMistakes(String mistake) {
        try (LoggedLines log = new LoggedLines()) {
            ReloadException refusal = catchThrowableOfType(
                    ReloadException.class, () -> running.reload(settings("{ name = other, token = other-token }")));
            assertThat(refusal.mistakes()).containsExactly(mistake);
            assertThat(log.with(mistake)).containsExactly("ERROR " + mistake);
        }
    }

    @Test
    void shouldReportTheTimeUntilTheCertificateExpires() throws Exception {
        String name = "rocketbufs_certificate_expiry_seconds";
        double seconds =
                StrictMetrics.parse(new AdminApi(running).text("/metrics")).get(name);
        assertThat(seconds).isGreaterThan(TimeUnit.DAYS.toSeconds(365));
        try (RunningBroker plain = new RunningBroker()) {
            assertThat(StrictMetrics.parse(new AdminApi(plain).text("/metrics")).get(name))
                    .isNaN();
        }
    }

    @Test
    void shouldWarnOfTheCertificateOfTheAdminInterfaceAndReportItsTime() throws Exception {
        write("expired", "admin");
        String warning = "WARN The certificate in " + folder.resolve("admin.pem")
                + " expired at 2020-01-02T00:00:00Z, so peers refuse it: replace the files of rbmq.admin.tls";
        String[] settings = {
            "rbmq.admin.tls.enabled = on",
            "rbmq.admin.tls.certificate = \"" + folder.resolve("admin.pem") + "\"",
            "rbmq.admin.tls.key = \"" + folder.resolve("admin.key") + "\""
        };
        try (LoggedLines log = new LoggedLines();
                RunningBroker admin = new RunningBroker(settings)) {
            assertThat(log.with("The certificate in")).containsExactly(warning);
            assertThat(adminExpirySeconds(admin)).isNegative();
            admin.reload(settings);
            assertThat(log.with("The certificate in")).containsExactly(warning, warning);
            write("server", "admin");
            admin.reload(settings);
            assertThat(log.with("The certificate in")).hasSize(2);
            assertThat(adminExpirySeconds(admin)).isGreaterThan(TimeUnit.DAYS.toSeconds(365));
        }
        assertThat(StrictMetrics.parse(new AdminApi(running).text("/metrics"))
                        .get("rbmq_admin_certificate_expiry_seconds"))
                .isNaN();
    }

    /** Reads the metric over HTTPS without checking the certificate. */
    private static double adminExpirySeconds(RunningBroker admin) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
        int port = admin.broker().adminAddress().getPort();
        HttpsURLConnection request =
                (HttpsURLConnection) new URL("https://127.0.0.1:" + port + "/metrics").openConnection();
        request.setSSLSocketFactory(context.getSocketFactory());
        request.setHostnameVerifier((host, session) -> true);
        try (InputStream response = request.getInputStream()) {
            return StrictMetrics.parse(new String(response.readAllBytes(), UTF_8))
                    .get("rbmq_admin_certificate_expiry_seconds");
        }
    }

    @Test
    void shouldLeaveResourcesWhereTheyWereAfterAHundredChangesOfTheCertificateUnderLoad() throws Exception {
        changeUnderLoad(20, 100, Long.MAX_VALUE);
    }

    @Test
    @Tag("slow")
    void shouldLeaveResourcesWhereTheyWereAfterAThousandChangesOfTheCertificateUnderLoad() throws Exception {
        changeUnderLoad(200, 1000, RESIDENT_LENGTH);
    }

    /** Repeatedly changes the certificate and connects another client while messages flow. */
    private void changeUnderLoad(int warmUp, int count, long residentLength) throws Exception {
        RocketBufs client = edge1();
        Subscriber subscriber =
                running.opened(Subscriber.connect(client, running.subscriberSettings(), new SubscriberCallback() {}));
        subscriber
                .subscribe("#", message -> {
                    if (message.getLong(0) != received.getAndIncrement()) {
                        faultCount.incrementAndGet();
                    }
                })
                .ready()
                .get(60, TimeUnit.SECONDS);
        TopicPublisher topic = running.opened(Publisher.connect(client, running.publisherSettings()))
                .topic("t");
        FutureTask<Void> publishing = new FutureTask<>(() -> publish(topic), null);
        new Thread(publishing, "publishing").start();
        try {
            change(warmUp, client);
            ProcessResources before = ProcessResources.now();
            long heapBefore = usedHeap();
            long residentBefore = resident();
            change(count, client);
            await().atMost(60, TimeUnit.SECONDS).untilAsserted(() -> {
                assertThat(usedHeap()).isLessThan(heapBefore + HEAP_LENGTH);
                ProcessResources now = ProcessResources.now();
                assertThat(withoutHandshakes(now))
                        .hasSizeLessThanOrEqualTo(withoutHandshakes(before).size());
                now.assertNoDescriptorLeakSince(before, count);
                assertThat(resident() - residentBefore).isLessThan(residentLength);
            });
        } finally {
            ends.set(true);
        }
        publishing.get(60, TimeUnit.SECONDS);
        await().atMost(60, TimeUnit.SECONDS).until(() -> received.get() == published.get());
        assertThat(faultCount).hasValue(0);
        assertThat(subscriber.isConnected()).isTrue();
    }

    /** Returns the threads without those that end after a few seconds without a handshake. */
    private static List<String> withoutHandshakes(ProcessResources resources) {
        return resources.threads().stream()
                .filter(name -> !name.startsWith("rocketnet-tls-handshake"))
                .toList();
    }

    private void publish(TopicPublisher topic) {
        while (!ends.get()) {
            long number = published.get();
            assertThat(topic.publish(ByteBuffer.allocate(8).putLong(0, number))).isEqualTo(PublishResult.PUBLISHED);
            published.incrementAndGet();
        }
    }

    private void change(int count, RocketBufs client) throws IOException {
        for (int i = 0; i < count; i++) {
            write(i % 2 == 0 ? "renewed" : "server");
            assertThat(running.reload(settings(USER)).changes()).hasSize(1);
            long before = published.get();
            Publisher.connect(client, running.publisherSettings()).close();
            await().atMost(60, TimeUnit.SECONDS).until(() -> published.get() > before);
        }
    }

    private static long usedHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static long resident() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("RssAnon:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                .findFirst()
                .orElseThrow();
    }
}
