package io.rocketbufs.livestream.page;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.rocketbufs.contract.TlsFiles;
import io.rocketbufs.web.TlsIdentity;
import io.rocketbufs.web.TlsSettings;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

@Tag("once")
final class CertificateWarningTest {
    @Test
    void shouldWarnOfACertificateThatHasExpired() throws Exception {
        Logger log = (Logger) LoggerFactory.getLogger(TlsIdentity.class);
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        log.addAppender(logged);
        Path expired = TlsFiles.file("expired.pem");
        try (TlsIdentity identity = identity("expired", expired)) {
            identity.warnOfExpiry("the.keys");
            assertThat(identity.expirySeconds()).isNegative();
        }
        try (TlsIdentity identity = identity("server", TlsFiles.file("server.pem"))) {
            identity.warnOfExpiry("the.keys");
        } finally {
            log.detachAppender(logged);
        }
        assertThat(logged.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(message -> message.contains("the.keys"))
                .singleElement()
                .asString()
                .startsWith("The certificate in " + expired + " expired at 2020-01-02T00:00:00Z")
                .endsWith("replace the files of the.keys");
    }

    private static TlsIdentity identity(String name, Path certificate) throws Exception {
        return TlsIdentity.load(new TlsSettings(certificate, TlsFiles.file(name + ".key"), null));
    }
}
