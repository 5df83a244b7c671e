package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.settings.SettingsException;
import io.rocketbufs.text.ClientName;
import io.rocketbufs.text.HostPort;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ClientSettingsTest {
    private static Config with(String text) {
        return ConfigFactory.parseString(text)
                .withFallback(ConfigFactory.parseResources("reference.conf"))
                .resolve();
    }

    @Test
    void shouldConnectPublishersAndSubscribersOverDifferentTransports() {
        Config config = with("rbmq { subscriber.transport = rdma,"
                + " listeners = [{transport = tcp, port = 1}, {transport = rdma, address = 127.0.0.2}] }");
        ClientSettings publisher = ClientSettings.publisher(config);
        assertThat(publisher.transport()).isEqualTo("auto");
        assertThat(publisher.brokers()).hasToString("[127.0.0.1:1]");
        ClientSettings subscriber = ClientSettings.subscriber(config);
        assertThat(subscriber.transport()).isEqualTo("rdma");
        assertThat(subscriber.brokers()).hasToString("[127.0.0.2:7612]");
        assertThat(ClientSettings.publisher(with("rocketbufs.transport = rdma")).transport())
                .isEqualTo("rdma");
    }

    @Test
    void shouldNameAClientWithoutANameAfterItsProcess() {
        assertThat(ClientSettings.from(with("")).name()).isEqualTo(ClientName.ofProcess());
        assertThat(ClientSettings.from(with("rbmq.client.name = desk")).name()).isEqualTo("desk");
    }

    @Test
    void shouldConnectClientsToTheConfiguredListener() {
        ClientSettings client = ClientSettings.from(with("rbmq { address = 0.0.0.0, port = 99 }"));
        assertThat(client.brokers()).hasToString("[127.0.0.1:99]");
    }

    @Test
    void shouldPreferTheConfiguredBroker() {
        ClientSettings client = ClientSettings.from(with("rbmq.client.broker = \"far.example:1\""));
        assertThat(client.brokers()).containsExactly(new HostPort("far.example", 1));
    }

    @Test
    void shouldReadSeveralBrokersInTheirOrder() {
        ClientSettings client = ClientSettings.from(with("rbmq.client.broker = \"b.example:1, [::1]:2,a.example:1\""));
        assertThat(client.brokers()).hasToString("[b.example:1, [::1]:2, a.example:1]");
        assertThat(client.withBroker("c.example", 3).brokers()).hasToString("[c.example:3]");
    }

    @Test
    void shouldReadTheIpv6AddressOfTheBrokerInBrackets() {
        ClientSettings client = ClientSettings.from(with("rbmq.client.broker = \"[::1]:7610\""));
        assertThat(client.brokers()).containsExactly(new HostPort("::1", 7610));
    }

    @Test
    void shouldNotRequireADefaultPortWhenTheBrokerIsConfigured() {
        Config config = with("rbmq { publisher.transport = pigeon, client.broker = \"far.example:1\" }");
        assertThat(ClientSettings.publisher(config).transport()).isEqualTo("pigeon");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rbmq.client.broker = nowhere",
                "rbmq.client.broker = \"far.example:70000\"",
                "rbmq.client.broker = \"far.example:0\"",
                "rbmq.client.broker = \"::1:7610\"",
                "rbmq.client.broker = \"far.example:1,\"",
                "rbmq.client.broker = \"far.example:1,,near.example:1\"",
                "rbmq.client.broker = \"far.example:1,near.example:0\"",
                "rbmq.client.token-file = /nonexistent/token",
                "rbmq.subscriber.slow-policy = wait",
                "rbmq.publisher.capacity = 1",
                "rbmq.client.reply-capacity = 4095",
                "rbmq.client.reply-idle-timeout = 0",
                "rbmq.client.reconnect.unconfirmed = keep",
                "rbmq.client.reconnect.enabled = maybe",
                "rbmq.client.reconnect.first = 0 ms",
                "rbmq.client.reconnect.longest = 99 ms",
                "rbmq.client.reconnect.jitter = much",
                "rbmq.client.reconnect.jitter = 1.5",
                "rbmq.client.reconnect.give-up-after = -1 s"
            })
    void shouldNameTheInvalidKey(String wrong) {
        assertThatThrownBy(() -> ClientSettings.from(with(wrong)))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(wrong.substring(0, wrong.indexOf(' ')));
    }

    @Test
    void shouldReadTheTokenFromAFileWithoutTheLineBreak(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), "s3cret \r\n\n");
        assertThat(ClientSettings.from(with("rbmq.client.token-file = \"" + file + "\""))
                        .token())
                .isEqualTo("s3cret");
        assertThatThrownBy(() ->
                        ClientSettings.from(with("rbmq.client { token = s3cret, token-file = \"" + file + "\" }")))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("rbmq.client.token-file: cannot be set together with rbmq.client.token")
                .hasMessageNotContaining("s3cret");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''      | is empty",
                "' \\n'   | is empty",
                "'ab\\ncd'| must contain one line of at most 255 bytes, without control characters",
                "'ab\\rcd'| must contain one line of at most 255 bytes, without control characters",
                "'ab\\r\\ncd'| must contain one line of at most 255 bytes, without control characters",
                "'\uFEFF\\n' | is empty",
                "LONG    | must contain one line of at most 255 bytes, without control characters"
            })
    void shouldRejectATokenFileWithoutShowingItsContent(String text, String reason, @TempDir Path folder)
            throws IOException {
        String content = text.equals("LONG")
                ? "x".repeat(256)
                : text.replace("\\n", "\n").replace("\\r", "\r");
        Path file = Files.writeString(folder.resolve("token"), content);
        assertThatThrownBy(() -> ClientOptions.from(with("")).withTokenFile(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the token file " + file + " " + reason);
    }

    @Test
    void shouldRejectATokenFileThatIsNotUtf8(@TempDir Path folder) throws IOException {
        for (Charset other : List.of(StandardCharsets.ISO_8859_1, StandardCharsets.UTF_16)) {
            Path file = Files.writeString(folder.resolve("token"), "s\u00e9cret", other);
            assertThatThrownBy(() -> ClientOptions.from(with("")).withTokenFile(file))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the token file " + file + " is not UTF-8");
        }
    }

    @Test
    void shouldRejectALongTokenFileBeforeItDecodesIt(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), "s" + "\u00e9".repeat(1000));
        assertThatThrownBy(() -> ClientOptions.from(with("")).withTokenFile(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the token file " + file
                        + " must contain one line of at most 255 bytes, without control characters");
    }

    @Test
    void shouldIgnoreAByteOrderMarkAndTheEndOfTheLineInATokenFile(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), "\uFEFFs3cret\r\n");
        ClientOptions options = ClientOptions.from(with("")).withTokenFile(file);
        assertThat(options.publisher().token()).isEqualTo("s3cret");
    }

    @Test
    void shouldReadOnlyTheBeginningOfATokenFileThatNeverEnds() {
        assertThatThrownBy(() -> ClientOptions.from(with("")).withTokenFile(Path.of("/dev/zero")))
                .hasMessageContaining("must contain one line");
    }

    @Test
    void shouldNotShowTheToken() {
        Config config = with("rbmq.client.token = s3cret");
        assertThat(ClientSettings.from(config))
                .asString()
                .contains("token=***", "transport=auto", "brokers=[127.0.0.1:7610]")
                .doesNotContain("s3cret");
        assertThat(ClientOptions.from(config)).asString().contains("token=***").doesNotContain("s3cret");
        assertThatThrownBy(() -> ClientSettings.from(config).withToken("s3cret".repeat(50)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("s3cret");
        assertThatThrownBy(() -> ClientSettings.from(config).withToken("s3cret\n"))
                .hasMessage("the token must have at most 255 bytes of UTF-8, without control characters");
        assertThatThrownBy(() -> ClientSettings.from(with("rbmq.client.token = \"s3cret\\t\"")))
                .hasMessageContaining("rbmq.client.token: must have at most 255 bytes")
                .hasMessageNotContaining("s3cret");
    }

    @Test
    void shouldShowAllOtherValues() {
        ClientSettings settings = ClientSettings.from(with(""));
        for (Method method : ClientSettings.class.getMethods()) {
            boolean isValue = method.getDeclaringClass() == ClientSettings.class
                    && method.getParameterCount() == 0
                    && !List.of("broker", "toString").contains(method.getName());
            if (isValue) {
                assertThat(settings).asString().contains(method.getName() + "=");
            }
        }
    }

    @Test
    void shouldChangeBothConnectionsAndKeepTheOriginal() {
        ClientOptions original = ClientOptions.from(with("rbmq.subscriber.transport = rdma"));
        ClientOptions changed = original.withBrokers("a.example:1,b.example:2")
                .withTransport("pigeon")
                .withName("desk")
                .withToken("t")
                .withFlowControl(false)
                .withCapacities(1000, 2000)
                .withMaxCapacity(3000)
                .withSlowPolicy(SlowPolicy.SKIP)
                .withConnectTimeout(Duration.ofSeconds(1))
                .withDrainTimeout(Duration.ofSeconds(2))
                .withReplyCapacity(5000)
                .withReconnect(new ReconnectSettings(false, 1, 2, 0.5, 3))
                .withUnconfirmed(Unconfirmed.DROP);
        for (ClientSettings settings : List.of(changed.publisher(), changed.subscriber())) {
            assertThat(settings)
                    .hasToString("ClientSettings[transport=pigeon, brokers=[a.example:1, b.example:2], name=desk,"
                            + " token=***, flowControl=false, whenUnheard=SEND, publisherCapacity=1000,"
                            + " subscriberCapacity=2000,"
                            + " maxCapacity=3000, slowPolicy=SKIP, connectTimeoutMs=1000, drainTimeoutMs=2000,"
                            + " replies=ReplySettings[capacity=5000, backlog=16777216, idleTimeoutMs=60000],"
                            + " reconnect=ReconnectSettings[enabled=false, firstMs=1, longestMs=2, jitter=0.5,"
                            + " giveUpAfterMs=3], unconfirmed=DROP]");
            assertThat(settings.token()).isEqualTo("t");
        }
        assertThat(original.publisher())
                .hasToString(ClientSettings.from(with("")).toString());
        assertThat(original.subscriber().transport()).isEqualTo("rdma");
    }

    @Test
    void shouldCheckValuesLikeThoseOfTheConfiguration() {
        ClientSettings settings = ClientSettings.from(with(""));
        assertRefused("connectTimeoutMs=0 is not in the range 1 to 86400000", () -> settings.withConnectTimeout(0));
        assertRefused("connectTimeoutMs=86400001", () -> settings.withConnectTimeout(86_400_001));
        assertRefused("drainTimeoutMs=-1 is not in the range 0 to 86400000", () -> settings.withDrainTimeout(-1));
        assertRefused("publisherCapacity=1 is not in the range 16", () -> settings.withCapacities(1, 1000));
        assertRefused("subscriberCapacity=15", () -> settings.withCapacities(1000, 15));
        assertRefused("publisherCapacity=" + Long.MAX_VALUE, () -> settings.withCapacities(Long.MAX_VALUE, 1000));
        assertRefused(
                "maxCapacity=999 is not in the range 1000",
                () -> settings.withCapacities(1000, 1000).withMaxCapacity(999));
        assertRefused(
                "connectTimeoutMs=0", () -> ClientOptions.from(with("")).withConnectTimeout(Duration.ofNanos(999_999)));
        assertRefused(
                "connectTimeoutMs=" + Long.MAX_VALUE,
                () -> ClientOptions.from(with("")).withConnectTimeout(ChronoUnit.FOREVER.getDuration()));
        assertRefused(
                "drainTimeoutMs=" + Long.MIN_VALUE,
                () -> ClientOptions.from(with(""))
                        .withDrainTimeout(ChronoUnit.FOREVER.getDuration().negated()));
        assertThat(settings.withCapacities(16, 16).withMaxCapacity(16).maxCapacity())
                .isEqualTo(16);
    }

    private static void assertRefused(String text, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(text);
    }

    @Test
    void shouldRequireAnAddress() {
        assertThatThrownBy(() -> ClientSettings.from(with("")).withBrokers(List.of()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ClientOptions.from(with("")).withBrokers("a.example"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"a.example\" is not HOST:PORT");
    }
}
