package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.rbmq.broker.RbmqBroker;
import io.rocketbufs.rbmq.broker.ReloadReport;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.settings.SettingsException;
import io.rocketbufs.text.HostPort;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of brokers embedded in this process. */
@Timeout(600)
final class RbmqBrokerSystemTest {
    private static final int WARM_UP_COUNT = 10;
    private static final long HEAP_LENGTH = 4 << 20;

    @Test
    void shouldListenAtAFreePortOfTheLoopbackAddressWithoutAnAdminInterface() throws Exception {
        try (RbmqBroker first = RbmqBroker.start();
                RbmqBroker second = RbmqBroker.start()) {
            assertThat(first.address()).startsWith("127.0.0.1:").isNotEqualTo(second.address());
            assertThat(first.addresses()).containsExactly(first.address());
            assertThat(first.adminAddress()).isNull();
            assertThat(first.broker().isReady()).isTrue();
            exchange(first);
        }
    }

    @Test
    void shouldAcceptSettingsAndOpenTheAdminInterfaceOnRequest() throws Exception {
        Config changes = ConfigFactory.parseString("rbmq { admin.enabled = true, credentials = [s3cret],"
                + " listeners = [{transport = tcp, port = 0}, {transport = tcp, port = 0}] }");
        try (RbmqBroker broker = RbmqBroker.start(changes)) {
            HostPort admin = HostPort.parse(broker.adminAddress());
            new Socket(admin.host(), admin.port()).close();
            assertThat(broker.addresses()).hasSize(2).doesNotHaveDuplicates();
            ClientOptions options = optionsOf(broker);
            try (RbmqClient refused = RbmqClient.connect(options);
                    RbmqClient accepted = RbmqClient.connect(options.withToken("s3cret"))) {
                assertThatThrownBy(refused::publisher).hasMessageEndingWith("refused: a token is required");
                accepted.publisher();
            }
        }
    }

    @Test
    void shouldReplaceItsSettings() {
        Config first = ConfigFactory.parseString("rbmq { credentials = [s3cret], broker.capacity = 2 MiB }");
        try (RbmqBroker broker = RbmqBroker.start(first);
                RbmqClient client = RbmqClient.connect(optionsOf(broker).withToken("s3cret"))) {
            client.publisher();
            assertThat(broker.reload(first)).isEqualTo(new ReloadReport(List.of(), List.of()));
            assertThatThrownBy(() -> broker.reload(ConfigFactory.parseString("rbmq.broker.capacity = x")))
                    .isInstanceOf(SettingsException.class)
                    .hasMessageContaining("rbmq.broker.capacity");
            assertThat(client.publisher().isConnected()).isTrue();
            ReloadReport report = broker.reload(ConfigFactory.parseString("rbmq { credentials = [n3xt], port = 1 }"));
            assertThat(report.changes())
                    .containsExactly(
                            "rbmq.credentials: tokens added: 1",
                            "rbmq.credentials: tokens removed: 1",
                            "rbmq.broker.capacity: 2 MiB -> 1 MiB, for topics announced from now on");
            assertThat(report.notApplied())
                    .containsExactly("rbmq.port: 0 -> 1 is not applied, because it needs a restart");
            assertThatThrownBy(() -> client.publisher().closed().get(60, TimeUnit.SECONDS))
                    .hasMessageContaining("the token is not valid");
        }
    }

    @Test
    void shouldLeaveNothingOpenWhenItCannotStart() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            startAndFail(taken);
            ProcessResources before = ProcessResources.settled();
            for (int i = 0; i < WARM_UP_COUNT; i++) {
                startAndFail(taken);
            }
            assertReleased(before);
        }
        assertThatThrownBy(() -> RbmqBroker.start(ConfigFactory.parseString("rbmq.broker.slow-policy = wait")))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("rbmq.broker.slow-policy");
    }

    private static void startAndFail(ServerSocket taken) {
        Config changes = ConfigFactory.parseString("rbmq.port = " + taken.getLocalPort());
        assertThatThrownBy(() -> RbmqBroker.start(changes))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        failure -> assertThat(failure.code()).isEqualTo(TransportException.Code.ADDRESS_IN_USE));
    }

    @Test
    void shouldRefuseToCloseOnItsOwnWorkerAndStayOpen() throws Exception {
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        try (RbmqBroker broker = RbmqBroker.start();
                RbmqClient client = RbmqClient.connect(optionsOf(broker).withRocketBufs(broker.rocketBufs()))) {
            client.subscribe("t", message -> refused.complete(catchThrowable(broker::close)))
                    .ready()
                    .get(60, TimeUnit.SECONDS);
            client.publish("t", "1");
            assertThat(refused.get(60, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
            assertThat(broker.broker().isReady()).isTrue();
            exchange(broker);
        }
    }

    @Test
    void shouldEndOnceAndRefuseClientsAfterThat() {
        RbmqBroker broker = RbmqBroker.start();
        broker.close();
        broker.close();
        assertThat(broker.broker().isReady()).isFalse();
        try (RbmqClient client = RbmqClient.connect(optionsOf(broker))) {
            assertThatThrownBy(client::publisher).hasMessageContaining("no listener on this address");
        }
    }

    @Test
    @Tag("once")
    void shouldReleaseThreadsDescriptorsAndMemoryOfAHundredBrokers() throws Exception {
        releaseAll(100);
    }

    @Test
    @Tag("slow")
    @Timeout(600)
    void shouldReleaseThreadsDescriptorsAndMemoryOfThousandsOfBrokers() throws Exception {
        releaseAll(3000);
    }

    private static void releaseAll(int count) throws Exception {
        for (int i = 0; i < WARM_UP_COUNT; i++) {
            startUseAndClose();
        }
        ProcessResources before = ProcessResources.settled();
        long heapBefore = ProcessResources.heapInUse();
        for (int i = 0; i < count; i++) {
            startUseAndClose();
        }
        assertReleased(before);
        await().untilAsserted(() -> assertThat(ProcessResources.heapInUse()).isLessThan(heapBefore + HEAP_LENGTH));
    }

    private static void startUseAndClose() throws Exception {
        try (RbmqBroker broker = RbmqBroker.start()) {
            exchange(broker);
        }
    }

    /**
     * Waits until the resources are released. A thread still counts for a moment after its end, and the address space
     * of a slab (64 MiB) is unmapped only when the garbage collector finds it unused.
     */
    private static void assertReleased(ProcessResources before) {
        await().untilAsserted(() -> {
            System.gc();
            ProcessResources now = ProcessResources.now();
            assertThat(now.threads())
                    .hasSizeLessThanOrEqualTo(before.threads().size())
                    .isSubsetOf(before.threads());
            now.assertNoDescriptorLeakSince(before, WARM_UP_COUNT);
            now.assertNoMoreMemoryThan(before, 0);
        });
    }

    private static void exchange(RbmqBroker broker) throws Exception {
        CompletableFuture<String> received = new CompletableFuture<>();
        try (RbmqClient client = RbmqClient.connect(optionsOf(broker))) {
            client.subscribe("t", message -> received.complete(message.text()))
                    .ready()
                    .get(60, TimeUnit.SECONDS);
            client.publish("t", "hello");
            assertThat(received.get(60, TimeUnit.SECONDS)).isEqualTo("hello");
        }
    }

    private static ClientOptions optionsOf(RbmqBroker broker) {
        return ClientOptions.defaults().withBrokers(broker.address()).withConnectTimeout(Duration.ofSeconds(60));
    }
}
