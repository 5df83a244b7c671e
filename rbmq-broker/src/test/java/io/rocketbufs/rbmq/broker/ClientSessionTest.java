package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

@Tag("once")
final class ClientSessionTest {
    private final Logger log = (Logger) LoggerFactory.getLogger(ClientSessionTest.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

    @BeforeEach
    void record() {
        logged.start();
        log.addAppender(logged);
        log.setAdditive(false);
    }

    @AfterEach
    void stop() {
        log.detachAppender(logged);
    }

    @Test
    void shouldLogTheStackTraceOfAnInternalError() {
        RuntimeException internal = new IllegalStateException("why");
        ClientSession.logLeft(log, "Publisher 1", new TransportException(Code.PROTOCOL, "handling failed", internal));
        assertThat(logged.list).singleElement().satisfies(event -> {
            assertThat(event.getLevel()).isEqualTo(Level.ERROR);
            assertThat(event.getFormattedMessage()).isEqualTo("Publisher 1 left: handling failed");
            assertThat(event.getThrowableProxy().getCause().getMessage()).isEqualTo("why");
        });
    }

    @Test
    void shouldLogOneLineWhenTheNetworkOrThePeerFails() {
        IOException broken = new IOException("Broken pipe");
        ClientSession.logLeft(log, "Publisher 1", new TransportException(Code.PEER_LOST, "lost", broken));
        ClientSession.logLeft(log, "Publisher 1", new TransportException(Code.PROTOCOL, "a violation"));
        assertThat(logged.list).hasSize(2).allSatisfy(event -> {
            assertThat(event.getLevel()).isEqualTo(Level.WARN);
            assertThat(event.getThrowableProxy()).isNull();
        });
    }
}
