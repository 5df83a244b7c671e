package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.rbmq.CuttableProxy;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rocketnet.TransportException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of losses that occur while a connection is changing its state. */
@Timeout(600)
final class ReconnectTest {
    private static final ReconnectSettings SOON = new ReconnectSettings(true, 1, 20, 0.3, 0);

    private RunningBroker running;

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    void shouldFailAFlushThatBeginsInTheMomentOfTheLoss() throws Exception {
        running = new RunningBroker(
                "rbmq.broker.capacity = 4 KiB", "rbmq.publisher.capacity = 4 KiB", "rbmq.subscriber.capacity = 4 KiB");
        CuttableProxy proxy = running.opened(new CuttableProxy(running.address()));
        Subscription paused = running.subscriber().subscribe("t", message -> {});
        paused.ready().get(60, TimeUnit.SECONDS);
        paused.pause();
        Publisher publisher = running.publisher(running.publisherSettings()
                .withBroker(proxy.address())
                .withReconnect(SOON)
                .withUnconfirmed(Unconfirmed.DROP));
        TopicPublisher topic = publisher.topic("t");
        topic.announced().get(60, TimeUnit.SECONDS);
        await().until(() -> topic.tryPublish(new byte[1000]) == PublishResult.NO_SPACE);
        CompletableFuture<CompletableFuture<Void>> inTheMoment = new CompletableFuture<>();
        // The worker fails this flush after the end of the connection, but before it notifies the publisher of the
        // loss.
        topic.output().flush().whenComplete((nothing, failure) -> inTheMoment.complete(publisher.flush()));
        proxy.cut();
        CompletableFuture<Void> flushed = inTheMoment.get(60, TimeUnit.SECONDS);
        await().until(flushed::isCompletedExceptionally);
        assertThat(publisher.closed()).isNotDone();
    }

    /** A client whose second attempt fails, and whose third connection ends while the worker of the first is busy. */
    private final class Client implements Reconnect.Client<BrokerLink>, ReconnectCallback {
        private final RocketBufs others = running.another();
        private final CountDownLatch free = new CountDownLatch(1);
        private final CountDownLatch busy = new CountDownLatch(1);
        private final CountDownLatch retried = new CountDownLatch(1);
        private final AtomicInteger openCount = new AtomicInteger();
        private final AtomicInteger lostCount = new AtomicInteger();
        private final AtomicInteger replacedCount = new AtomicInteger();
        private final Reconnect<BrokerLink> connections = new Reconnect<>(
                Role.PUBLISHER,
                running.publisherSettings().withReconnect(SOON),
                others.automatic(),
                new SameBroker(),
                this,
                this);

        @Override
        public BrokerLink open(BrokerTarget target) {
            int count = openCount.incrementAndGet();
            if (count == 2) {
                throw new TransportException(TransportException.Code.NO_LISTENER, "the second attempt");
            }
            BrokerLink link = new BrokerLink();
            link.open(
                    count == 1 ? running.clients() : others,
                    running.publisherSettings(),
                    target,
                    Role.PUBLISHER,
                    (type, message) -> {},
                    connections::onClosed);
            if (count == 3) {
                awaitQuietly(busy);
                link.connection().close();
            } else if (count == 4) {
                retried.countDown();
            }
            return link;
        }

        @Override
        public void onDisconnected(TransportException cause, long nextAttemptMs) {
            if (cause.code() == TransportException.Code.NO_LISTENER) {
                busy.countDown();
                awaitQuietly(free);
            }
        }

        @Override
        public void onConnected(BrokerLink first) {}

        @Override
        public void onLost(BrokerLink lost) {
            lostCount.incrementAndGet();
        }

        @Override
        public void onReplaced(BrokerLink link) {
            replacedCount.incrementAndGet();
        }

        @Override
        public void onEnded(BrokerLink last, Throwable failure) {}
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldTryAgainWhenTheNextConnectionEndsWhileCallbacksStillRun() {
        running = new RunningBroker();
        Client client = new Client();
        client.connections.connect();
        client.connections.current().connection().close();
        awaitQuietly(client.retried);
        int lostCount = client.lostCount.get();
        long reconnectCount = client.connections.reconnectCount();
        client.free.countDown();
        await().until(() -> client.replacedCount.get() == 1);
        assertThat(lostCount).isEqualTo(1); // the loss was not reported again while the callback was running
        assertThat(reconnectCount).isZero();
        assertThat(client.connections.reconnectCount()).isEqualTo(1);
        client.connections.close();
        client.connections.current().connection().close();
    }
}
