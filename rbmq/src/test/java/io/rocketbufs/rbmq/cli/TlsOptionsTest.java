package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class TlsOptionsTest {
    private final TlsOptions options = new TlsOptions();

    @Test
    void shouldChangeNothingWithoutOptions() {
        assertThat(options.settings().isEmpty()).isTrue();
    }

    @Test
    void shouldSelectTlsForBothRoles() {
        options.tls = true;
        Config settings = options.settings()
                .withFallback(ConfigFactory.parseString("rbmq.publisher.transport = rdma, rocketbufs.tls.ca = file"));
        assertThat(settings.getString("rocketbufs.transport")).isEqualTo("tls");
        assertThat(settings.getString("rbmq.publisher.transport")).isEmpty();
        assertThat(settings.getString("rbmq.subscriber.transport")).isEmpty();
        assertThat(settings.getString("rocketbufs.tls.ca")).isEqualTo("file");
    }

    @Test
    void shouldSelectTlsIfAnAuthorityIsGiven() {
        options.ca = Path.of("ca.pem");
        assertThat(options.settings().getString("rocketbufs.transport")).isEqualTo("tls");
        assertThat(options.settings().getString("rocketbufs.tls.ca")).isEqualTo("ca.pem");
    }
}
