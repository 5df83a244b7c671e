package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.AtomicWord;
import io.rocketbufs.rocketnet.AtomicsExecutor;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportListener;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of words that the device changes on behalf of their owner, over a provider that is treated like a device. */
@Timeout(600)
final class RdmaSelfTest {
    private static final int WORD = 72;

    private final MemoryPool memory = new MemoryPool(16 << 20);
    private final Region region = memory.allocate(4096);

    private static RdmaTransport open(int threads) {
        RdmaSettings settings = RdmaSettings.from(
                RdmaEnds.config(ConfigFactory.load(), "provider = sockets", "num-threads = " + threads));
        return new RdmaTransport(
                Ofi.load(settings.library()),
                settings,
                "sockets",
                seen -> seen.with(seen.reads(), RdmaTraits.Atomics.DEVICE));
    }

    /** Returns a new connection of the transport. */
    private TransportConnection connect(RdmaTransport transport) throws Exception {
        TransportListener listener = transport.listen(
                RdmaEnds.loopback(0), connection -> new RdmaRecordingHandler(memory, 4096).of(connection));
        return transport
                .connect(listener.address(), connection -> new RdmaRecordingHandler(memory, 4096).of(connection))
                .get(60, TimeUnit.SECONDS);
    }

    /** Each value before an addition must occur exactly once; otherwise, additions were lost. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldAddUpTheAdditionsOfSeveralThreads(int workers) throws Exception {
        int threads = 3;
        int additions = 400;
        BlockingQueue<Long> before = new LinkedBlockingQueue<>();
        try (RdmaTransport transport = open(workers)) {
            assertThat(transport.capabilities().coherentAtomics()).isFalse();
            TransportConnection connection = connect(transport);
            List<CompletableFuture<Void>> adding = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                AtomicWord word = connection.atomicWord(region, WORD);
                adding.add(CompletableFuture.runAsync(() -> {
                    for (int n = 0; n < additions; n++) {
                        word.fetchAdd(1, before::add);
                    }
                }));
            }
            BitSet seen = new BitSet();
            for (int i = 0; i < threads * additions; i++) {
                int number = before.poll(60, TimeUnit.SECONDS).intValue();
                assertThat(seen.get(number)).isFalse();
                seen.set(number);
            }
            adding.forEach(CompletableFuture::join);
            assertThat(connection.atomicWord(region, WORD).value()).isEqualTo(threads * additions);
        }
    }

    /** Two devices, even on the same machine, do not see each other's operations. */
    @Test
    void shouldNameTheDeviceThatCarriesOutTheOperations() throws Exception {
        try (RdmaTransport transport = open(0);
                RdmaTransport other = open(0)) {
            AtomicsExecutor device = connect(transport).atomicsExecutor();
            assertThat(device.isProcessor()).isFalse();
            assertThat(connect(transport).atomicsExecutor()).isEqualTo(device);
            assertThat(connect(other).atomicsExecutor()).isNotEqualTo(device);
        }
    }

    @Test
    void shouldSwapOnlyWhatIsExpected() throws Exception {
        BlockingQueue<Long> before = new LinkedBlockingQueue<>();
        try (RdmaTransport transport = open(0)) {
            AtomicWord word = connect(transport).atomicWord(region, WORD);
            word.compareSwap(1, 2, before::add);
            word.compareSwap(0, -3, before::add);
            word.fetchAdd(10, before::add);
            assertThat(before.poll(60, TimeUnit.SECONDS)).isZero();
            assertThat(before.poll(60, TimeUnit.SECONDS)).isZero();
            assertThat(before.poll(60, TimeUnit.SECONDS)).isEqualTo(-3);
            assertThat(word.value()).isEqualTo(7);
            assertThat(region.window(0, WORD)).isEqualTo(ByteBuffer.allocate(WORD));
        }
    }

    @Test
    void shouldServeOthersAfterAReceiverHasFailed() throws Exception {
        BlockingQueue<Long> before = new LinkedBlockingQueue<>();
        try (RdmaTransport transport = open(0)) {
            AtomicWord word = connect(transport).atomicWord(region, WORD);
            CompletableFuture<Void> failed = new CompletableFuture<>();
            word.fetchAdd(1, number -> {
                failed.complete(null);
                throw new IllegalStateException("the test fails");
            });
            failed.get(60, TimeUnit.SECONDS);
            for (int i = 0; i < 200; i++) {
                word.fetchAdd(1, before::add);
                assertThat(before.poll(60, TimeUnit.SECONDS)).isEqualTo(i + 1);
            }
        }
    }

    @Test
    void shouldRefuseWhatIsNoWord() throws Exception {
        try (RdmaTransport transport = open(0)) {
            TransportConnection connection = connect(transport);
            for (long offset : new long[] {-8, 4, region.length()}) {
                assertThatIllegalArgumentException().isThrownBy(() -> connection.atomicWord(region, offset));
            }
        }
    }

    @Test
    void shouldRefuseOperationsWhenTheTransportHasClosed() throws Exception {
        AtomicWord word;
        TransportConnection connection;
        RdmaTransport transport = open(0);
        try (transport) {
            connection = connect(transport);
            word = connection.atomicWord(region, WORD);
            BlockingQueue<Long> before = new LinkedBlockingQueue<>();
            word.fetchAdd(1, before::add);
            assertThat(before.poll(60, TimeUnit.SECONDS)).isZero();
        }
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> word.fetchAdd(1, before -> {}))
                .withMessageContaining("not connected with itself");
        assertThat(word.value()).isEqualTo(1);
        Region other = new MemoryPool(1 << 20).allocate(4096);
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> connection.atomicWord(other, WORD))
                .withMessageContaining("the transport is closed");
        assertThat(transport.refusal(other, Set.of(Right.READ))).contains("the transport is closed");
    }
}
