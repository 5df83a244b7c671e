package io.rocketbufs.rocketnet.tcp;

import static io.rocketbufs.contract.TlsFiles.certificate;
import static io.rocketbufs.contract.TlsFiles.clientAuthority;
import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import io.netty.handler.ssl.OpenSsl;
import io.rocketbufs.contract.TlsFiles;
import io.rocketbufs.rocketnet.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class TlsExpiryTest {
    private static final Instant END = Instant.parse("2119-12-31T23:59:59Z");

    private final List<String> warnings = new ArrayList<>();
    private final List<Long> delaysMs = new ArrayList<>();
    private final List<Runnable> scheduled = new ArrayList<>();
    private Instant now = END.minus(Duration.ofDays(14));

    /** A worker that only records the tasks it receives. */
    private final Worker worker = new Worker() {
        @Override
        public boolean inWorker() {
            return true;
        }

        @Override
        public void execute(Runnable task) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Future<?> schedule(Runnable task, long delayMs) {
            scheduled.add(task);
            delaysMs.add(delayMs);
            return new CompletableFuture<>();
        }
    };

    @BeforeAll
    static void loadBoringSsl() {
        OpenSsl.ensureAvailability();
    }

    private void begin(String... settings) {
        TlsTransportSettings read = TlsTransportSettings.from(TlsFiles.with(ConfigFactory.load(), settings));
        new TlsExpiry(read.sides(), read.contexts(), () -> now, warnings::add).begin(worker);
    }

    @Test
    void shouldWarnOnceADayFromFourteenDaysBeforeTheEndOn() {
        begin(certificate("server"));
        assertThat(warnings).isEmpty();
        now = now.plusSeconds(1);
        scheduled.remove(0).run();
        assertThat(warnings)
                .singleElement()
                .satisfies(warning -> assertThat(warning)
                        .startsWith("The certificate in /")
                        .endsWith("server.pem expires in 13 days, at 2119-12-31T23:59:59Z: replace the files of"
                                + " rocketbufs.tls.certificate and rocketbufs.tls.key"));
        now = END.plusSeconds(1);
        scheduled.remove(0).run();
        assertThat(warnings).hasSize(2);
        assertThat(warnings.get(1)).contains("server.pem expired at 2119-12-31T23:59:59Z, so peers refuse it");
        assertThat(delaysMs).containsOnly(Duration.ofDays(1).toMillis());
    }

    @Test
    void shouldWarnOfTheCertificateOfAConnectingSide() {
        now = END;
        begin(TlsFiles.clientCertificate("edge1"));
        assertThat(warnings).hasSize(1);
        assertThat(warnings.get(0)).contains("rocketbufs.tls.client-certificate and rocketbufs.tls.client-key");
    }

    @Test
    void shouldWarnOfAnOutdatedListOfRevokedCertificates() {
        now = Instant.parse("2020-01-02T00:00:00Z");
        begin(certificate("server"), clientAuthority("ca"), TlsReloadTest.revoked("outdated"));
        assertThat(warnings).isEmpty();
        now = now.plusSeconds(1);
        scheduled.remove(0).run();
        assertThat(warnings).hasSize(1);
        assertThat(warnings.get(0)).contains("outdated.crl has been outdated since 2020-01-02T00:00:00Z");
    }

    @Test
    void shouldScheduleNothingWithoutACertificate() {
        begin(TlsFiles.trust("ca"));
        assertThat(scheduled).isEmpty();
    }
}
