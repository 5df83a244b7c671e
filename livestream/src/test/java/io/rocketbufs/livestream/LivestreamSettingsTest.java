package io.rocketbufs.livestream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.settings.SettingsException;
import io.rocketbufs.text.HostPort;
import org.junit.jupiter.api.Test;

final class LivestreamSettingsTest {
    @Test
    void shouldHaveTheDocumentedDefaults() {
        LivestreamSettings settings = LivestreamSettings.from(ConfigFactory.load());

        assertThat(settings.relay().port()).isEqualTo(7620);
        assertThat(settings.relay().ingest().port()).isEqualTo(7643);
        assertThat(settings.edge().port()).isEqualTo(7443);
        assertThat(settings.relay().capacity()).isEqualTo(8L * (3 << 20));
        assertThat(settings.relay().chunkLimit()).isEqualTo(6 << 20);
    }

    @Test
    void shouldAcceptTheRelayAddressWithOrWithoutAPort() {
        assertThat(edge("livestream.relay.address = \"10.0.0.1:99\"")).isEqualTo("10.0.0.1:99");
        assertThat(edge("livestream.relay.address = localhost")).isEqualTo("localhost:7620");
        assertThat(edge("livestream.relay.address = \"::1\"")).isEqualTo("[::1]:7620");
        assertThat(edge("livestream.relay.address = \"[::1]:99\"")).isEqualTo("[::1]:99");
        assertThatThrownBy(() -> edge("livestream.relay.address = \"a:b\""))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("HOST:PORT");
    }

    private static String edge(String setting) {
        EdgeSettings edge = read(setting + "\nlivestream.insecure = true").edge();
        return new HostPort(edge.relayHost(), edge.relayPort()).toString();
    }

    @Test
    void shouldRequireSecretsForNonLoopbackAddresses() {
        assertThatThrownBy(() -> read("livestream.ingest.address = 0.0.0.0"))
                .hasMessageContaining("livestream.ingest.keys");
        assertThatThrownBy(() -> read("livestream.relay.address = 0.0.0.0"))
                .hasMessageContaining("livestream.relay.credentials");
        read("livestream.ingest { address = 0.0.0.0, keys = [{stream = a, key = b}] }");
        read("livestream { insecure = true, ingest.address = 0.0.0.0, relay.address = 0.0.0.0 }");
    }

    @Test
    void shouldNameTheInvalidSetting() {
        assertThatThrownBy(() -> read("livestream.ingest.raw = [{port = 1, steam = a}]"))
                .hasMessageContaining("steam");
        assertThatThrownBy(() -> read("livestream.ingest.raw = [{port = 1, stream = \"a/b\"}]"))
                .hasMessageContaining("a/b");
        assertThatThrownBy(() -> read("livestream.ingest.keys = [{stream = a, key = \"\"}]"))
                .hasMessageContaining("key: is empty");
        assertThatThrownBy(() -> read("livestream.tls.key = \"/x\"")).hasMessageContaining("tls.certificate");
        assertThatThrownBy(() -> read("livestream.stream.chunks = 3")).hasMessageContaining("livestream.stream.chunks");
        assertThatThrownBy(() -> read("livestream.stream.chunk-length = 1 GiB"))
                .hasMessageContaining("livestream.stream.chunk-length");
    }

    private static LivestreamSettings read(String text) {
        return LivestreamSettings.from(ConfigFactory.parseString(text)
                .withFallback(ConfigFactory.load())
                .resolve());
    }

    @Test
    void shouldNotShowSecrets() {
        LivestreamSettings settings = read("livestream { ingest.keys = [{stream = a, key = s3cret}],"
                + " relay { credentials = [s3cret], token = s3cret }, metrics.token = s3cret }");
        assertThat(settings.edge().token()).isEqualTo("s3cret");
        assertThat(settings.edge().metricsToken()).isEqualTo("s3cret");
        assertThat(settings.relay().credentials()).containsExactly("s3cret");
        assertThat(settings.edge())
                .asString()
                .contains("token=***", "metricsToken=***", "port=")
                .doesNotContain("s3cret");
        assertThat(settings.relay())
                .asString()
                .contains("credentials=(1)", "Key[stream=a, key=***]", "metricsToken=***", "capacity=")
                .doesNotContain("s3cret");
        assertThat(settings).asString().doesNotContain("s3cret");
        assertThat(read("").edge()).asString().contains(", token=, ", "metricsToken=]");
    }

    @Test
    void shouldAcceptTheLongestChunksWithoutOverflow() {
        LivestreamSettings settings = read("livestream.stream { chunks = 1000, chunk-length = 512 MiB }");
        assertThat(settings.relay().chunkLimit()).isEqualTo(1 << 30);
        assertThat(settings.relay().capacity()).isEqualTo(1000L << 29);
    }
}
