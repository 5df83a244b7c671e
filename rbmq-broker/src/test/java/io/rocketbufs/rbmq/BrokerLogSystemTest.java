package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.Role;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The broker's log lines about its clients: each change is logged once, with the peer's address. */
@Timeout(60)
final class BrokerLogSystemTest {
    private final LoggedLines logged = new LoggedLines();
    private final RunningBroker running = new RunningBroker();

    @AfterEach
    void close() {
        running.close();
        logged.close();
    }

    @Test
    void shouldLogTheLossOfASubscriberOnce() throws Exception {
        new RawSocket(running.address(), Role.SUBSCRIBER).close();
        await().until(() -> !logged.with("left").isEmpty());
        assertThat(logged.with("without a goodbye"))
                .singleElement()
                .asString()
                .matches("WARN Subscriber \"raw\" at 127.0.0.1:[0-9]+ left: .*");
    }

    @Test
    void shouldLogTheLossOfAPublisherOnce() throws Exception {
        new RawSocket(running.address(), Role.PUBLISHER).close();
        await().until(() -> !logged.with("left").isEmpty());
        assertThat(logged.with("without a goodbye"))
                .singleElement()
                .asString()
                .matches("WARN Publisher 1 \"raw\" at 127.0.0.1:[0-9]+ left: .*");
    }

    @Test
    void shouldLogAProtocolViolationOnceWithThePeer() throws Exception {
        RawClient subscriber = new RawClient(running, Role.SUBSCRIBER);
        subscriber.send(77, 1);
        await().until(() -> !logged.with("left").isEmpty());
        assertThat(logged.with("breach of rbmq's protocol"))
                .singleElement()
                .asString()
                .matches("WARN Subscriber \"raw\" at (127.0.0.1:[0-9]+) left: \\1: breach of .*");
    }

    @Test
    void shouldLogAGracefulCloseOnceAtLevelInfo() {
        running.publisher().close();
        running.subscriber().close();
        await().until(() -> logged.with("left").size() == 2);
        assertThat(logged.with("left")).allMatch(line -> line.startsWith("INFO ") && line.endsWith(" left"));
        assertThat(logged.with("WARN")).isEmpty();
    }
}
