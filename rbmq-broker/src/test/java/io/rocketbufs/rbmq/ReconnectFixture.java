package io.rocketbufs.rbmq;

import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.ReconnectSettings;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** A fixture with a broker behind a proxy that cuts connections, and a record of a subscriber's messages. */
abstract class ReconnectFixture {
    /** Settings with which attempts follow one another within milliseconds and never end. */
    static final ReconnectSettings SOON = new ReconnectSettings(true, 1, 20, 0.3, 0);

    static final long WAIT_S = 60;

    final Continuity seen = new Continuity();
    RunningBroker running;
    CuttableProxy proxy;

    final void start(String... settings) throws IOException {
        running = new RunningBroker(settings);
        proxy = running.opened(new CuttableProxy(running.address()));
    }

    @AfterEach
    void close() {
        if (running != null) {
            running.close();
        }
    }

    /** Returns settings that make a client connect and reconnect through the proxy. */
    final ClientSettings cuttable(ClientSettings settings) {
        return settings.withBroker(proxy.address()).withReconnect(SOON);
    }

    /** Connects a subscriber through the proxy. */
    final Subscriber subscriber() {
        return running.subscriber(cuttable(running.subscriberSettings()), seen);
    }

    static Subscription live(Subscription subscription) throws Exception {
        subscription.ready().get(WAIT_S, TimeUnit.SECONDS);
        return subscription;
    }

    /** Announces a topic over a direct connection, so that the topic remains when the proxy cuts connections. */
    final TopicPublisher topic(String name) throws Exception {
        TopicPublisher topic = running.publisher().topic(name);
        topic.announced().get(WAIT_S, TimeUnit.SECONDS);
        return topic;
    }

    final void awaitReconnected(int count) {
        await().until(() -> seen.reconnectCount() >= count);
    }
}
