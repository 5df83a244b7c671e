package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.RIn;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.TransportOffer;
import io.rocketbufs.rbmq.broker.Broker;
import io.rocketbufs.rbmq.broker.BrokerSettings;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.PublisherCallback;
import io.rocketbufs.rbmq.client.ReconnectSettings;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.protocol.AnnounceLayout;
import io.rocketbufs.rbmq.protocol.Features;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.Offers;
import io.rocketbufs.rbmq.protocol.OffersLayout;
import io.rocketbufs.rbmq.protocol.RbmqMessage;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rbmq.protocol.WelcomeLayout;
import io.rocketbufs.rocketnet.TransportException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of clients whose transport is {@code auto}, and of the transport that they negotiate with various brokers. */
@Tag("once")
@Timeout(600)
final class AutomaticTransportSystemTest {
    private static final long WAIT_S = 60;
    private static final String AUTO = "rocketbufs.transport = auto";
    private static final ReconnectSettings SOON = new ReconnectSettings(true, 1, 20, 0.3, 0);

    @TempDir
    private Path directory;

    @TempDir
    private Path another;

    private RunningBroker running;

    @AfterEach
    void close() {
        if (running != null) {
            running.close();
        }
    }

    private void start(String... settings) {
        List<String> all = new ArrayList<>(List.of(AUTO, in(directory)));
        all.addAll(List.of(settings));
        running = new RunningBroker(all.toArray(String[]::new));
    }

    private static String in(Path shm) {
        return "rocketbufs.shm.directory = \"" + shm + "\"";
    }

    private Publisher publisher(String... settings) {
        List<String> all = new ArrayList<>(List.of(AUTO, in(directory)));
        all.addAll(List.of(settings));
        Config config = RunningBroker.config(all.toArray(String[]::new));
        RocketBufs rocketBufs = running.opened(RocketBufs.open(config));
        ClientSettings client = ClientSettings.publisher(config).withBroker(running.address());
        return running.opened(Publisher.connect(rocketBufs, client));
    }

    private static void assertPasses(Publisher publisher, Subscriber subscriber) throws Exception {
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        subscriber
                .subscribe("t", message -> received.add(message.text()))
                .ready()
                .get(WAIT_S, TimeUnit.SECONDS);
        for (int i = 0; i < 1000; i++) {
            publisher.topic("t").publish(Integer.toString(i).getBytes(UTF_8));
        }
        for (int i = 0; i < 1000; i++) {
            assertThat(received.poll(WAIT_S, TimeUnit.SECONDS)).isEqualTo(Integer.toString(i));
        }
    }

    private List<String> clients(String field) {
        return new AdminApi(running)
                .list("clients", "").stream()
                        .map(client -> client.getString(field))
                        .toList();
    }

    // Tests of the outcomes of the negotiation.

    @Test
    void shouldUseSharedMemoryOnTheBrokersMachine() throws Exception {
        start();
        try (LoggedLines logged = new LoggedLines()) {
            Publisher publisher = running.publisher(running.client());
            Subscriber subscriber = running.subscriber(running.client(), new SubscriberCallback() {});
            assertThat(publisher.transport().toString()).isEqualTo("shm");
            assertThat(subscriber.transport().toString()).isEqualTo("shm");
            assertPasses(publisher, subscriber);
            assertThat(clients("transport")).containsExactly("shm", "shm");
            assertThat(clients("transportObstacle")).containsExactly("", "");
            assertThat(logged.with("connected over")).hasSize(2).allMatch(line -> line.endsWith("connected over shm"));
            assertThat(logged.with("Connected to")).hasSize(2).allMatch(line -> line.endsWith(" over shm"));
            assertThat(logged.with("WARN")).isEmpty();
        }
        Config status = new AdminApi(running).object("/api/status");
        assertThat(status.getInt("clientsByTransport.shm")).isEqualTo(2);
        assertThat(status.getStringList("listeners").get(0)).startsWith("tcp 127.0.0.1:");
        assertThat(status.getStringList("listeners").get(1)).startsWith("shm 127.0.0.1:");
        assertThat(running.broker().state().refusedCount()).isZero();
        assertThat(running.broker().state().disconnects().values()).allMatch(count -> count == 0);
    }

    @Test
    void shouldUseADeviceThatBothSidesHave() throws Exception {
        TransportPair.assumeRdma();
        start(
                "rocketbufs.rdma.provider = tcp",
                "rbmq.listeners = [{ transport = tcp, port = 0 }, { transport = rdma, port = 0 }]");
        Publisher publisher = running.publisher(running.client());
        Subscriber subscriber = running.subscriber(running.client(), new SubscriberCallback() {});
        assertThat(publisher.transport().toString()).isEqualTo("rdma");
        assertPasses(publisher, subscriber);
    }

    @Test
    void shouldPreferSharedMemoryToADevice() {
        TransportPair.assumeRdma();
        start(
                "rocketbufs.rdma.provider = tcp",
                "rbmq.listeners = [{ transport = rdma, port = 0 }, { transport = auto, port = 0 }]");
        ClientSettings client =
                running.client().withBroker(running.broker().addresses().get(1));
        assertThat(running.publisher(client).transport().toString()).isEqualTo("shm");
    }

    @Test
    void shouldUseADeviceIfSharedMemoryCannotBeReached() {
        TransportPair.assumeRdma();
        start(
                "rocketbufs.rdma.provider = tcp",
                "rbmq.listeners = [{ transport = auto, port = 0 }, { transport = rdma, port = 0 }]");
        Publisher publisher = publisher("rocketbufs.rdma.provider = tcp", in(another));
        assertThat(publisher.transport().name()).isEqualTo("rdma");
        assertThat(publisher.transport().obstacles()).containsOnlyKeys("shm");
        assertThat(clients("transportObstacle").get(0)).startsWith("not shm: the peer's sockets are in " + directory);
    }

    @Test
    void shouldStayOnTcpWithoutACommonDirectory() throws Exception {
        start();
        try (LoggedLines logged = new LoggedLines()) {
            Publisher publisher = publisher(in(another));
            String reason = "not shm: the peer's sockets are in " + directory + ", but this process looks for them in "
                    + another;
            assertThat(publisher.transport().toString()).startsWith("tcp (" + reason);
            assertThat(clients("transport")).containsExactly("tcp");
            assertThat(clients("transportObstacle").get(0)).startsWith(reason);
            assertThat(logged.with("connected over tcp (" + reason)).hasSize(1);
            publisher(in(another));
            await().untilAsserted(() -> {
                List<? extends Config> obstacles =
                        new AdminApi(running).object("/api/status").getConfigList("transportObstacles");
                assertThat(obstacles).hasSize(1);
                assertThat(obstacles.get(0).getString("transport")).isEqualTo("tcp");
                assertThat(obstacles.get(0).getString("obstacle")).startsWith(reason);
                assertThat(obstacles.get(0).getInt("clients")).isEqualTo(2);
            });
            assertPasses(publisher, running.subscriber(running.client(), new SubscriberCallback() {}));
        }
    }

    @Test
    void shouldStayOnTcpWithoutAnyWarningOfAListenerThatTheBrokerDoesNotHave() {
        start("rbmq.listeners = [{ transport = tcp, port = 0 }]");
        assertThat(running.publisher(running.client()).transport().toString()).isEqualTo("tcp");
    }

    @Test
    void shouldUseTheTransportThatTheConfigurationNames() {
        start();
        assertThat(running.publisher(running.client().withTransport("tcp"))
                        .transport()
                        .toString())
                .isEqualTo("tcp");
        assertThat(clients("transportObstacle")).containsExactly("");
    }

    @Test
    void shouldNeedNoMoreConnectionsThanOthers() throws Exception {
        start("rbmq.users = [{ name = few, token = t, publish = [\"#\"], max-connections = 1 }]");
        ClientSettings few = running.client().withToken("t");
        for (int i = 0; i < 20; i++) {
            try (Publisher publisher = connectedWhenOthersHaveLeft(few)) {
                assertThat(publisher.transport().toString()).isEqualTo("shm");
            }
        }
        assertThatThrownBy(() -> running.publisher(running.client().withToken("wrong")))
                .hasMessageContaining("the token is not valid");
    }

    /** Connects, retrying until the broker has noticed the end of the former connection. */
    private Publisher connectedWhenOthersHaveLeft(ClientSettings settings) {
        Publisher[] connected = new Publisher[1];
        await().ignoreExceptionsMatching(e -> e.getMessage().contains("has reached max-connections=1"))
                .until(() -> {
                    connected[0] = Publisher.connect(running.clients(), settings);
                    return true;
                });
        return connected[0];
    }

    // Tests of failures.

    @Test
    void shouldFallBackOnceWhenTheBetterConnectionFails() throws Exception {
        start();
        RocketBufs shared = running.opened(RocketBufs.open(RunningBroker.config(in(directory))));
        Listener shm = new Listener(shared, new InetSocketAddress("127.0.0.1", 0), "shm");
        shm.setConnectionCallback(connection -> {
            new RIn(connection);
            connection.setCloseCallback(failure -> {});
            connection.sendControlMessage(WelcomeLayout.write(Welcome.of(7, 1 << 20)));
        });
        InetSocketAddress tcp = scripted(7, shm.offer(), new LinkedBlockingQueue<>());
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        PublisherCallback callback = new PublisherCallback() {
            @Override
            public void onFallback(String former, String transport, String why) {
                told.add(former + " " + transport + " " + why);
            }

            @Override
            public void onReconnected(String broker, boolean isSame) {
                told.add("connected");
            }
        };
        Publisher publisher = running.publisher(running.client().withBroker(tcp).withReconnect(SOON), callback);
        assertThat(publisher.transport().toString()).isEqualTo("shm");
        try (LoggedLines logged = new LoggedLines()) {
            shared.close();
            await().until(() -> publisher.reconnectCount() == 1);
            assertThat(publisher.transport().toString())
                    .startsWith("tcp (not shm: the last connection over shm failed: ");
            assertThat(logged.with("over tcp instead of shm: the last connection over shm failed"))
                    .hasSize(1);
        }
        assertThat(told.poll(WAIT_S, TimeUnit.SECONDS)).startsWith("shm tcp the last connection over shm failed: ");
        assertThat(told.poll(WAIT_S, TimeUnit.SECONDS)).isEqualTo("connected");
    }

    @Test
    void shouldKeepTheBetterTransportWhenTheBrokerDisconnectsTheClientForAReason() throws Exception {
        String user = "rbmq.users = [{ name = u, token = t, publish = [\"#\"], subscribe = [%s] }]";
        start(String.format(user, "a, b"));
        Subscriber subscriber =
                running.subscriber(running.client().withToken("t").withReconnect(SOON), new SubscriberCallback() {});
        subscriber.subscribe("a", message -> {}).ready().get(WAIT_S, TimeUnit.SECONDS);
        subscriber.subscribe("b", message -> {}).ready().get(WAIT_S, TimeUnit.SECONDS);
        assertThat(subscriber.transport().toString()).isEqualTo("shm");
        running.reload(AUTO, in(directory), String.format(user, "a")); // disconnects the subscriber
        await().until(() -> subscriber.reconnectCount() == 1);
        assertThat(subscriber.transport().toString()).isEqualTo("shm");
    }

    @Test
    void shouldFallBackWhenTheBrokerRestartsWithFewerListeners() throws Exception {
        start();
        int port = running.address().getPort();
        Publisher publisher = running.publisher(running.client().withReconnect(SOON));
        assertThat(publisher.transport().toString()).isEqualTo("shm");
        try (LoggedLines logged = new LoggedLines()) {
            running.loseBroker();
            running.broker().close();
            Config fewer = RunningBroker.config("rbmq.port = " + port);
            RocketBufs rocketBufs = running.opened(RocketBufs.open(fewer));
            running.opened(Broker.open(rocketBufs, BrokerSettings.from(fewer)));
            await().until(() -> publisher.reconnectCount() == 1);
            assertThat(publisher.transport().toString()).isEqualTo("tcp");
            assertThat(logged.with("over tcp instead of shm: the broker does not offer it"))
                    .hasSize(1);
        }
    }

    @Test
    void shouldReturnToTheBetterTransportOfARestartedBroker() {
        start();
        int port = running.address().getPort();
        Publisher publisher = running.publisher(running.client().withReconnect(SOON));
        running.loseBroker();
        running.broker().close();
        Config same = RunningBroker.config(AUTO, in(directory), "rbmq.port = " + port);
        RocketBufs rocketBufs = running.opened(RocketBufs.open(same));
        running.opened(Broker.open(rocketBufs, BrokerSettings.from(same)));
        await().until(() -> publisher.reconnectCount() == 1);
        assertThat(publisher.transport().toString()).isEqualTo("shm");
    }

    @Test
    void shouldGoOnWithoutSharedMemoryOnlyIfItIsNotNamed() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        try (LoggedLines logged = new LoggedLines()) {
            start(in(file));
            assertThat(running.broker().addresses()).hasSize(1);
            assertThat(logged.with("WARN The broker does not listen over shm"))
                    .hasSize(1)
                    .allMatch(line -> line.contains(file + " is not a directory; set rocketbufs.shm.directory"));
        }
        assertThat(running.publisher(running.client()).transport().toString()).isEqualTo("tcp");
        assertThatThrownBy(() -> new RunningBroker(in(file), "rocketbufs.transport = shm"))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining(file + " is not a directory");
    }

    @Test
    void shouldRefuseToShareAPortOfTheNetwork() {
        start();
        String port = "rbmq.port = " + running.address().getPort();
        assertThatThrownBy(() -> new RunningBroker(AUTO, in(directory), port))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        failure -> assertThat(failure.code()).isEqualTo(TransportException.Code.ADDRESS_IN_USE))
                .hasMessageContaining(
                        "cannot listen on 127.0.0.1:" + running.address().getPort());
    }

    // Tests with scripted brokers.

    /** Starts a TCP broker that offers one listener, with the given broker id, and records the clients' replies. */
    private InetSocketAddress scripted(long brokerId, TransportOffer offer, BlockingQueue<String> answers) {
        RocketBufs rocketBufs = running.another();
        Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0), "tcp");
        listener.setConnectionCallback(connection -> {
            new RIn(connection).setControlMessageCallback(message -> {
                answers.add(RbmqMessage.type(message) + " " + NoticeLayout.text(message));
                if (answers.peek().startsWith("STAY")) {
                    connection.sendControlMessage(WelcomeLayout.write(Welcome.of(brokerId, 1 << 20)));
                } else {
                    answers.clear();
                    connection.close();
                }
            });
            connection.setCloseCallback(failure -> {});
            connection.sendControlMessage(OffersLayout.write(new Offers(brokerId, List.of(offer))));
        });
        return listener.address();
    }

    private String answerTo(String transport, String place, String... settings) throws Exception {
        BlockingQueue<String> answers = new LinkedBlockingQueue<>();
        InetSocketAddress address = scripted(7, new TransportOffer(transport, place), answers);
        List<String> all = new ArrayList<>(List.of(AUTO, in(directory)));
        all.addAll(List.of(settings));
        RocketBufs client = running.opened(RocketBufs.open(RunningBroker.config(all.toArray(String[]::new))));
        Publisher publisher =
                running.opened(Publisher.connect(client, running.client().withBroker(address)));
        assertThat(publisher.transport().name()).isEqualTo("tcp");
        return answers.poll(WAIT_S, TimeUnit.SECONDS);
    }

    @Test
    void shouldStayOnTcpWithABrokerOfAnotherMachine() throws Exception {
        start();
        assertThat(answerTo("shm", "11111111-2222-3333-4444-555555555555 7614 1:2 " + directory))
                .isEqualTo("STAY not shm: the peer runs on another machine");
    }

    @Test
    void shouldStayOnTcpIfADeviceDoesNotReachTheBroker() throws Exception {
        TransportPair.assumeRdma();
        start();
        try (ServerSocket silent = new ServerSocket(0)) {
            String place = "tcp 127.0.0.1:" + silent.getLocalPort();
            assertThat(answerTo(
                            "rdma",
                            place,
                            "rocketbufs.rdma.provider = tcp",
                            "rocketbufs.rdma.connect-timeout = 300 ms"))
                    .startsWith("STAY not rdma: connect to 127.0.0.1:" + silent.getLocalPort());
        }
    }

    @Test
    void shouldNotSelectLibfabricWithoutADevice() throws Exception {
        TransportPair.assumeRdma();
        start();
        assertThat(answerTo("rdma", "tcp 127.0.0.1:7612"))
                .startsWith("STAY not rdma: the peer has no RDMA device, and uses libfabric's provider tcp");
    }

    @Test
    void shouldStayOnTcpIfAnotherBrokerListensAtTheOfferedPlace() throws Exception {
        start();
        String place = placeOfSharedMemory();
        assertThat(answerTo("shm", place)).isEqualTo("STAY not shm: another broker listens there");
    }

    @Test
    void shouldStayOnTcpIfTheBrokerDoesNotKeepTheBetterConnection() throws Exception {
        start();
        RocketBufs rocketBufs = running.opened(RocketBufs.open(RunningBroker.config(in(directory))));
        Listener shm = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0), "shm");
        shm.setConnectionCallback(connection -> {
            new RIn(connection).setControlMessageCallback(message -> connection.close());
            connection.setCloseCallback(failure -> {});
            Offers offers = new Offers(7, List.of(new TransportOffer("pigeon", "the roof")));
            connection.sendControlMessage(OffersLayout.write(offers));
        });
        assertThat(answerTo("shm", shm.offer().place()))
                .startsWith("STAY not shm: the broker at ")
                .endsWith(" closed the connection before it sent WELCOME");
    }

    /** Asks the running broker for its offers, like a client whose transport is {@code auto}. */
    private String placeOfSharedMemory() throws Exception {
        CompletableFuture<Offers> offers = new CompletableFuture<>();
        Connection connection = connectRaw(message -> offers.complete(OffersLayout.read(message)));
        String place = offers.get(WAIT_S, TimeUnit.SECONDS).listeners().get(0).place();
        connection.close();
        connection.closed().get(WAIT_S, TimeUnit.SECONDS);
        return place;
    }

    private Connection connectRaw(Consumer<ByteBuffer> onOffers) throws Exception {
        ConnectOptions options = ConnectOptions.as(Role.PUBLISHER, connection -> {
                    connection.setCloseCallback(failure -> {});
                    connection.setControlMessageCallback(message -> {
                        assertThat(RbmqMessage.type(message)).isEqualTo(RbmqType.OFFERS);
                        onOffers.accept(message);
                    });
                })
                .withGreeting(GreetingLayout.write("raw", ""))
                .over("tcp");
        return running.clients().connect(running.address(), options).get(WAIT_S, TimeUnit.SECONDS);
    }

    @Test
    void shouldIgnoreOffersOfUnknownTransports() throws Exception {
        start();
        assertThat(answerTo("pigeon", "the roof")).isEqualTo("STAY ");
    }

    @Test
    void shouldStayOnTcpWithABrokerThatDoesNotKnowAutomaticSelection() {
        start();
        RocketBufs rocketBufs = running.another();
        Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0), "tcp");
        Welcome welcome = new Welcome(2, Features.SUPPORTED & ~Features.OFFERS, 1, 1 << 20, 1000);
        listener.setConnectionCallback(connection -> {
            new RIn(connection);
            connection.setCloseCallback(failure -> {});
            connection.sendControlMessage(WelcomeLayout.write(welcome));
        });
        Publisher publisher = running.publisher(running.client().withBroker(listener.address()));
        assertThat(publisher.transport().name()).isEqualTo("tcp");
        assertThat(publisher.transport().obstacles())
                .containsEntry("a better one", "the broker does not support automatic selection");
    }

    // Tests with hostile peers.

    @Test
    void shouldDisconnectAClientThatAnswersTheOffersWithAnotherMessage() throws Exception {
        start();
        CompletableFuture<Void> offered = new CompletableFuture<>();
        Connection connection = connectRaw(message -> offered.complete(null));
        offered.get(WAIT_S, TimeUnit.SECONDS);
        assertThat(running.broker().state().publisherCount()).isZero();
        connection.sendControlMessage(AnnounceLayout.write(1, 1 << 20, "t"));
        connection.closed().get(WAIT_S, TimeUnit.SECONDS);
        assertThat(running.broker().topics()).isEmpty();
    }

    @Test
    void shouldNotLetAClientStayThatHasLeft() throws Exception {
        start("rbmq.users = [{ name = few, token = t, publish = [\"#\"], max-connections = 1 }]");
        BlockingQueue<RbmqType> types = new LinkedBlockingQueue<>();
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        ConnectOptions options = ConnectOptions.as(Role.PUBLISHER, connection -> {
                    connection.setCloseCallback(end::complete);
                    connection.setControlMessageCallback(message -> types.add(RbmqMessage.type(message)));
                })
                .withGreeting(GreetingLayout.write("raw", "t"))
                .over("tcp");
        Connection connection =
                running.clients().connect(running.address(), options).get(WAIT_S, TimeUnit.SECONDS);
        assertThat(types.poll(WAIT_S, TimeUnit.SECONDS)).isEqualTo(RbmqType.OFFERS);
        try (LoggedLines logged = new LoggedLines()) {
            connection.sendControlMessage(NoticeLayout.ofSubscription(RbmqType.LEAVE, 0, ""));
            connection.sendControlMessage(NoticeLayout.ofSubscription(RbmqType.STAY, 0, ""));
            end.get(WAIT_S, TimeUnit.SECONDS);
            await().until(() -> !logged.with("the client sent STAY after it had answered OFFERS")
                    .isEmpty());
            assertThat(logged.with("connected over")).isEmpty();
        }
        assertThat(types).isEmpty();
    }

    @Test
    void shouldNotAcceptOffersWithoutHavingAsked() {
        start();
        InetSocketAddress address = scripted(7, new TransportOffer("shm", "a 1 b c"), new LinkedBlockingQueue<>());
        assertThatThrownBy(() ->
                        running.publisher(running.client().withTransport("tcp").withBroker(address)))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("OFFERS for which the client has not asked");
    }
}
