package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Capabilities.Completion;
import io.rocketbufs.rocketnet.Capabilities.Operation;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.TransportChoice;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportListener;
import io.rocketbufs.rocketnet.TransportProvider;
import io.rocketbufs.rocketnet.Worker;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of opening and closing, and of workers. */
@Timeout(600)
final class RdmaTransportTest {
    @Test
    void shouldBeFoundByItsName() {
        assertThat(ServiceLoader.load(TransportProvider.class))
                .filteredOn(provider -> provider.name().equals("rdma"))
                .singleElement()
                .isInstanceOf(RdmaTransportProvider.class);
    }

    @Test
    void shouldReportWhichProvidersWorkAndWhichOneIsSelected() {
        List<TransportChoice> choices = new RdmaTransportProvider().choices(RdmaEnds.config(ConfigFactory.load()));
        assertThat(choices).extracting(TransportChoice::name).containsExactlyElementsOf(RdmaProviders.NAMES);
        assertThat(choices)
                .filteredOn(TransportChoice::automatic)
                .singleElement()
                .satisfies(choice -> assertThat(choice.available()).isTrue());
        assertThat(choices)
                .filteredOn(choice -> choice.name().equals("tcp"))
                .singleElement()
                .satisfies(choice -> assertThat(choice.available()).isTrue());
    }

    @Test
    void shouldNameThePackageToInstallWhenLibfabricIsMissing() {
        Config missing = RdmaEnds.config(ConfigFactory.load(), "provider = auto", "library = libnothing.so.1");
        assertThatThrownBy(() -> new RdmaTransportProvider().open(missing))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        failure -> assertThat(failure.code()).isEqualTo(TransportException.Code.UNAVAILABLE))
                .hasMessageContainingAll("libnothing.so.1 cannot be loaded", "apt-get install libfabric1");
        assertThat(new RdmaTransportProvider().choices(missing)).allSatisfy(choice -> {
            assertThat(choice.available()).isFalse();
            assertThat(choice.detail()).contains("apt-get install libfabric1");
        });
    }

    @Test
    void shouldDescribeEveryProviderWithAnyConfiguration() {
        Config config =
                ConfigFactory.parseString("rocketbufs.rdma.provider = tcp").withFallback(ConfigFactory.load());
        List<TransportChoice> choices = new RdmaTransportProvider().choices(config);
        assertThat(choices).extracting(TransportChoice::name).containsExactly("verbs", "tcp", "sockets");
        assertThat(choices.get(1)).satisfies(tcp -> {
            assertThat(tcp.available()).isTrue();
            assertThat(tcp.device()).isNotEmpty();
            assertThat(tcp.address().isLoopbackAddress()).isTrue();
            assertThat(tcp.detail()).matches("libfabric \\d+\\.\\d+");
            assertThat(tcp.capabilities().remoteCpu()).isTrue();
        });
        List<TransportChoice> usable =
                choices.stream().filter(TransportChoice::available).toList();
        assertThat(choices).filteredOn(TransportChoice::automatic).containsExactly(usable.get(0));
        assertThat(choices)
                .filteredOn(choice -> !choice.available())
                .allMatch(choice -> choice.detail().startsWith("provider " + choice.name() + ": "));
    }

    @Test
    void shouldStateTheReadsAndAtomicOperationsOfEachProvider() {
        List<TransportChoice> choices = new RdmaTransportProvider().choices(ConfigFactory.load());
        Capabilities tcp = choices.get(1).capabilities();
        assertThat(tcp.operations()).contains(Operation.READ).doesNotContain(Operation.FETCH_ADD);
        assertThat(tcp.longestRead()).isEqualTo(tcp.longestWrite());
        assertThat(tcp.readWindow()).isPositive();
        assertThat(tcp.revokeFences()).isFalse();
        Capabilities sockets = choices.get(2).capabilities();
        assertThat(sockets.operations()).contains(Operation.READ, Operation.FETCH_ADD, Operation.COMPARE_SWAP);
        assertThat(sockets.coherentAtomics()).isTrue();
    }

    @Test
    void shouldGiveTheReasonForEachProviderWhenTheLibraryIsMissing() {
        Config config = ConfigFactory.parseString("rocketbufs.rdma.library = libfabric-missing.so")
                .withFallback(ConfigFactory.load());
        assertThat(new RdmaTransportProvider().choices(config))
                .hasSize(3)
                .allMatch(choice -> !choice.available() && choice.detail().contains("apt-get install libfabric1"));
    }

    @Test
    void shouldReportItsDeviceAndCapabilities() {
        try (RdmaEnds ends = new RdmaEnds("inject-threshold = 100")) {
            assertThat(ends.transport.name()).isEqualTo("rdma");
            assertThat(ends.transport.detail()).matches("provider tcp, device \\S+, libfabric \\d+\\.\\d+");
            assertThat(ends.transport.capabilities().injectLength()).isEqualTo(100);
            assertThat(ends.transport.capabilities().completion()).isEqualTo(Completion.SENT);
        }
    }

    @Test
    void shouldNameThreadsAndDistributeConnectionsAmongThem() throws Exception {
        assertThat(workerNames("num-threads = 0")).allMatch(name -> name.matches("rocketnet-rdma-monitor-\\S+"));
        assertThat(workerNames("num-threads = 3"))
                .hasSize(3)
                .allMatch(name -> name.matches("rocketnet-rdma-worker-\\S+-[0-2]"));
    }

    private static Set<String> workerNames(String threads) throws Exception {
        Set<String> names = new HashSet<>();
        try (RdmaEnds ends = new RdmaEnds(threads)) {
            for (int i = 0; i < 3; i++) {
                Worker worker = ends.connect().connection().worker();
                CompletableFuture<String> name = new CompletableFuture<>();
                worker.execute(() -> name.complete(Thread.currentThread().getName()
                        + (worker.inWorker() && ends.transport.inWorker() ? "" : "?")));
                names.add(name.get(60, TimeUnit.SECONDS));
                assertThat(worker.inWorker()).isFalse();
            }
            assertThat(ends.transport.inWorker()).isFalse();
        }
        return names;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void shouldFailAndCloseEveryConnectionWhenTheTransportCloses(int threads) throws Exception {
        for (int round = 0; round < 50; round++) {
            RdmaEnds ends = new RdmaEnds("num-threads = " + threads);
            List<RdmaRecordingHandler> handlers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                handlers.add(ends.connect());
                handlers.add(ends.accepted(i));
            }
            ends.close();
            ends.close();
            assertThat(handlers)
                    .allSatisfy(handler -> assertThat(handler.events()).containsExactly("failed CLOSED", "closed"));
        }
    }

    /** A callback that returns late must not access freed memory or objects, which would crash the process. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldCloseDespiteACallbackThatDoesNotReturn(int threads) throws Exception {
        RdmaEnds ends = new RdmaEnds("num-threads = " + threads);
        RdmaRecordingHandler client = ends.connect();
        RdmaRecordingHandler server = ends.accepted(0);
        client.writingTo(server);
        CountDownLatch blocked = new CountDownLatch(1);
        CompletableFuture<PostResult> written = new CompletableFuture<>();
        client.connection().worker().execute(() -> {
            try {
                blocked.await();
                written.complete(client.write(1, 0, "late"));
            } catch (InterruptedException e) {
                written.completeExceptionally(e);
            }
        });
        ends.close();
        blocked.countDown();
        assertThat(written.get(60, TimeUnit.SECONDS)).isIn(PostResult.SENT, PostResult.CLOSED);
        RdmaRecordingHandler.await()
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .noneMatch(thread -> thread.getName().startsWith("rocketnet-rdma")));
    }

    /** A sending thread may be executing provider code at any time, so the connection must stay open. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldNotReleaseAConnectionThatItsUserDoesNotClose(int threads) throws Exception {
        RdmaEnds ends = new RdmaEnds("num-threads = " + threads);
        RdmaRecordingHandler client = ends.connect();
        RdmaRecordingHandler server = ends.accepted(0);
        client.writingTo(server);
        client.keepOpen();
        CompletableFuture<Integer> written = CompletableFuture.supplyAsync(() -> writeUntilClosed(client));
        RdmaRecordingHandler.await().until(() -> server.events().size() > 1000);
        ends.close();
        assertThat(written.get(60, TimeUnit.SECONDS)).isGreaterThan(1000);
        assertThat(client.events()).endsWith("failed CLOSED");
        assertThat(client.write(0, 0, "late")).isEqualTo(PostResult.CLOSED);
    }

    private static int writeUntilClosed(RdmaRecordingHandler client) {
        try {
            int count = 0;
            while (client.write(count, 0, "as often as it can") != PostResult.CLOSED) {
                count++;
            }
            return count;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Uses the loopback interface and another interface that has an address. The machine might not have a second such
     * interface.
     */
    @Test
    void shouldUseSeveralNicsAtTheSameTime() throws Exception {
        Optional<InetAddress> other = NetworkInterface.networkInterfaces()
                .filter(each -> !each.getName().equals("lo"))
                .flatMap(NetworkInterface::inetAddresses)
                .filter(Inet4Address.class::isInstance)
                .findAny();
        assumeTrue(other.isPresent(), "no other address");
        try (RdmaEnds ends = new RdmaEnds()) {
            TransportListener second = ends.listen(new InetSocketAddress(other.orElseThrow(), 0));
            List<RdmaRecordingHandler> clients = List.of(ends.connect(), ends.connect(second.address()));
            for (int i = 0; i < clients.size(); i++) {
                RdmaRecordingHandler server = ends.accepted(i);
                clients.get(i).writingTo(server).write(7, 100 * i, "over NIC " + i);
                server.awaitEvent("arrived 7 10");
                assertThat(server.text(100 * i, 10)).isEqualTo("over NIC " + i);
            }
            assertThat(clients.get(0).connection().worker())
                    .isNotSameAs(clients.get(1).connection().worker());
        }
    }

    @Test
    void shouldRefuseOperationsAfterClose() throws Exception {
        RdmaEnds ends = new RdmaEnds();
        RdmaRecordingHandler client = ends.connect();
        ends.close();

        Worker worker = client.connection().worker();
        worker.execute(() -> {
            throw new AssertionError("ran after the end");
        });
        assertThat(client.connection().send(ByteBuffer.allocate(1))).isEqualTo(PostResult.CLOSED);
        assertThatThrownBy(() -> ends.connect(RdmaEnds.loopback(7612)))
                .hasRootCauseMessage("connect to 127.0.0.1:7612: the transport is closed");
        assertThatThrownBy(() -> ends.transport.listen(RdmaEnds.loopback(0), connection -> null))
                .hasMessage("cannot listen on 127.0.0.1:0: the transport is closed");
        RdmaRecordingHandler.await()
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .noneMatch(thread -> thread.getName().startsWith("rocketnet-rdma")));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldRefuseToCloseOnAWorker(int threads) throws Exception {
        try (RdmaEnds ends = new RdmaEnds("num-threads = " + threads)) {
            CompletableFuture<Throwable> thrown = new CompletableFuture<>();
            ends.connect().connection().worker().execute(() -> {
                try {
                    ends.transport.close();
                    thrown.complete(null);
                } catch (IllegalStateException e) {
                    thrown.complete(e);
                }
            });
            assertThat(thrown.get(60, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
        }
    }
}
