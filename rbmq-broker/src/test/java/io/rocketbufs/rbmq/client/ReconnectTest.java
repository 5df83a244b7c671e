package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.RIn;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.TransportOffer;
import io.rocketbufs.rbmq.CuttableProxy;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.Offers;
import io.rocketbufs.rbmq.protocol.OffersLayout;
import io.rocketbufs.rbmq.protocol.RbmqMessage;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rbmq.protocol.WelcomeLayout;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportProvider;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
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

    @Test
    void shouldTryAgainWhenTheConnectionEndsRightAfterTheBrokersOffers() {
        running = new RunningBroker();
        List<Connection> accepted = new CopyOnWriteArrayList<>();
        Listener listener = new Listener(running.another(), new InetSocketAddress("127.0.0.1", 0), "tcp");
        listener.setConnectionCallback(connection -> {
            new RIn(connection);
            connection.setCloseCallback(failure -> {});
            accepted.add(connection);
            if (accepted.size() == 2) {
                Offers offers = new Offers(7, List.of(new TransportOffer("pigeon", "the roof")));
                connection.sendControlMessage(OffersLayout.write(offers));
                connection.execute(connection::close);
            } else {
                connection.sendControlMessage(WelcomeLayout.write(Welcome.of(7, 1 << 20)));
            }
        });
        Config config = RunningBroker.config("rocketbufs.transport = auto");
        AtomicReference<RocketBufs> clients = new AtomicReference<>();
        AtomicInteger attemptCount = new AtomicInteger();
        clients.set(running.opened(RocketBufs.open(config, tcp(config, () -> {
            if (attemptCount.incrementAndGet() == 2) {
                await().until(() ->
                        accepted.size() == 2 && accepted.get(1).closed().isDone());
                await().until(() -> clients.get().metrics().connections().isEmpty());
            }
        }))));
        Publisher publisher = running.opened(Publisher.connect(
                clients.get(),
                ClientSettings.publisher(config).withBroker(listener.address()).withReconnect(SOON)));
        accepted.get(0).close();
        await().until(() ->
                publisher.reconnectCount() == 1 || publisher.closed().isDone());
        assertThat(publisher.closed()).isNotDone();
        assertThat(accepted).hasSize(3);
    }

    /** Returns a TCP transport that runs a task before the thread that has started to connect continues. */
    private static Transport tcp(Config config, Runnable whileConnecting) {
        Transport tcp = ServiceLoader.load(TransportProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals("tcp"))
                .findFirst()
                .orElseThrow()
                .open(config);
        return (Transport) Proxy.newProxyInstance(
                Transport.class.getClassLoader(), new Class<?>[] {Transport.class}, (proxy, method, arguments) -> {
                    Object result = method.invoke(tcp, arguments);
                    if (method.getName().equals("connect")) {
                        whileConnecting.run();
                    }
                    return result;
                });
    }

    /** A client that fails to lose a connection, or to open the second one. */
    private final class FailingClient implements Reconnect.Client<BrokerLink>, ReconnectCallback {
        private final Error opening;
        private final RuntimeException losing;
        private final AtomicInteger openCount = new AtomicInteger();
        private final CompletableFuture<TransportException> disconnected = new CompletableFuture<>();
        private final CompletableFuture<BrokerLink> replaced = new CompletableFuture<>();
        private final Reconnect<BrokerLink> connections = new Reconnect<>(
                Role.PUBLISHER,
                running.publisherSettings().withReconnect(SOON),
                running.clients().automatic(),
                new SameBroker(),
                this,
                this);

        private FailingClient(Error opening, RuntimeException losing) {
            this.opening = opening;
            this.losing = losing;
        }

        @Override
        public BrokerLink open(BrokerTarget target) {
            if (openCount.incrementAndGet() == 2 && opening != null) {
                throw opening;
            }
            BrokerLink link = new BrokerLink();
            link.open(
                    running.clients(),
                    running.publisherSettings(),
                    target,
                    Role.PUBLISHER,
                    (type, message) -> {},
                    connections::onClosed);
            return link;
        }

        @Override
        public void onConnected(BrokerLink first) {}

        @Override
        public void onLost(BrokerLink lost) {
            if (losing != null) {
                throw losing;
            }
        }

        @Override
        public void onDisconnected(TransportException cause, long nextAttemptMs) {
            disconnected.complete(cause);
        }

        @Override
        public void onReplaced(BrokerLink link) {
            replaced.complete(link);
        }

        @Override
        public void onEnded(BrokerLink last, Throwable failure) {}

        /** Waits for the next connection and closes it. */
        private void replacedAndClosed() throws Exception {
            BrokerLink next = replaced.get(60, TimeUnit.SECONDS);
            connections.close();
            next.connection().close();
        }
    }

    @Test
    void shouldTryAgainAfterAnErrorDuringAnAttempt() throws Exception {
        running = new RunningBroker();
        FailingClient client = new FailingClient(new OutOfMemoryError("no memory"), null);
        client.connections.connect();
        client.connections.current().connection().close();
        client.replacedAndClosed();
        assertThat(client.openCount).hasValue(3);
    }

    @Test
    void shouldReportALossEvenIfTheClientFailsToHandleIt() throws Exception {
        running = new RunningBroker();
        FailingClient client = new FailingClient(null, new IllegalStateException("a callback failed"));
        client.connections.connect();
        client.connections.current().connection().close();
        client.replacedAndClosed();
        assertThat(client.disconnected).isCompleted();
    }

    @Test
    void shouldEndAClosedSubscriptionIfTheBrokerIsLostBeforeItConfirmsTheEnd() throws Exception {
        running = new RunningBroker();
        AtomicInteger acceptedCount = new AtomicInteger();
        Listener listener = new Listener(running.another(), new InetSocketAddress("127.0.0.1", 0), "tcp");
        listener.setConnectionCallback(connection -> {
            if (acceptedCount.incrementAndGet() > 1) {
                throw new TransportException(TransportException.Code.RESOURCES, "the broker has not recovered");
            }
            connection.setCloseCallback(failure -> {});
            connection.setControlMessageCallback(message -> {
                if (RbmqMessage.type(message) == RbmqType.TOPIC_SUBSCRIBE) {
                    connection.sendControlMessage(NoticeLayout.ofSubscription(RbmqType.TOPIC_LISTED, 1, ""));
                } else {
                    connection.disconnect("the broker is lost");
                }
            });
            connection.sendControlMessage(WelcomeLayout.write(Welcome.of(7, 1 << 20)));
        });
        Subscriber subscriber = running.subscriber(
                running.subscriberSettings().withBroker(listener.address()).withReconnect(SOON),
                new SubscriberCallback() {});
        Subscription subscription = subscriber.subscribe("t", message -> {});
        subscription.ready().get(60, TimeUnit.SECONDS);
        subscription.close();
        subscription.closed().get(60, TimeUnit.SECONDS);
        assertThat(subscriber.isConnected()).isFalse();
    }

    @Test
    void shouldLetAnotherOutputForRepliesReplaceALostOne() throws Exception {
        running = new RunningBroker();
        CuttableProxy proxy = running.opened(new CuttableProxy(running.address()));
        ClientSettings settings = running.publisherSettings()
                .withBroker(proxy.address())
                .withReconnect(SOON)
                .withUnconfirmed(Unconfirmed.DROP);
        Publisher publisher = running.publisher(settings);
        CompletableFuture<ReplyOutput> ended = new CompletableFuture<>();
        ReplyOutput output =
                new ReplyOutput(settings.replies(), new ReplyBacklog(1000), new LongAdder(), ended::complete);
        assertThat(output.open(publisher, InboxName.random())).isTrue();
        proxy.cut();
        ended.get(60, TimeUnit.SECONDS);
        assertThat(output.send(new Headers(), new byte[1])).isNull();
    }
}
