package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiInfo;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of a listener on one NIC that receives its requests through another NIC. */
@Timeout(600)
final class RdmaListenerTest {
    private static final long LIMIT_S = 60;

    private final Ofi ofi = Ofi.load("libfabric.so.1");
    private final RdmaSettings settings = RdmaSettings.from(RdmaEnds.config(ConfigFactory.load()));
    private final MemoryPool pool = new MemoryPool(4 << 20);
    private final RdmaFabric fabric = fabric();
    private final RdmaNic listening = nic();
    private final RdmaNic accepting = nic();
    private final CompletableFuture<Void> handedOver = new CompletableFuture<>();
    private final CompletableFuture<Void> mayGoOn = new CompletableFuture<>();

    private OfiInfo find() {
        return RdmaProviders.find(ofi, "tcp", RdmaEnds.loopback(0), OfiConstants.FI_SOURCE);
    }

    private RdmaFabric fabric() {
        OfiInfo info = find();
        try {
            return RdmaFabric.open(ofi, info);
        } finally {
            ofi.freeinfo(info);
        }
    }

    private RdmaNic nic() {
        OfiInfo info = find();
        try {
            RdmaNic nic =
                    new RdmaNic(new RdmaDomain(ofi, fabric, info, settings, pool, pool, UnaryOperator.identity()));
            nic.start();
            return nic;
        } finally {
            ofi.freeinfo(info);
        }
    }

    @AfterEach
    void close() throws Exception {
        mayGoOn.complete(null);
        for (RdmaNic nic : List.of(listening, accepting)) {
            nic.beginEnd().get(LIMIT_S, TimeUnit.SECONDS);
            for (CompletableFuture<Void> end : nic.end()) {
                end.get(LIMIT_S, TimeUnit.SECONDS);
            }
            nic.close();
        }
        ofi.close(fabric.fid());
        pool.close();
    }

    /** Creates a listener that passes each request to the other NIC and then keeps the monitor of its own NIC busy. */
    private RdmaListener listen() {
        RdmaListener listener = new RdmaListener(
                listening,
                find(),
                request -> {
                    listening.monitor().execute(() -> {
                        handedOver.complete(null);
                        mayGoOn.join();
                    });
                    return accepting;
                },
                connection -> {
                    throw new AssertionError("accepted");
                });
        listening.monitor().execute(listener::begin);
        return listener;
    }

    private void awaitTasksOf(RdmaNic nic) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        nic.monitor().execute(() -> done.complete(null));
        done.get(LIMIT_S, TimeUnit.SECONDS);
    }

    /**
     * A request is refused through the listener's endpoint, which belongs to the listener's monitor. That monitor may
     * close the endpoint at any time.
     */
    @Test
    void shouldRefuseOnItsOwnMonitorIfAnotherNicDoesNotAccept() throws Exception {
        RdmaListener listener = listen();
        try (StrangePeer stranger = new StrangePeer();
                RdmaEnds others = new RdmaEnds()) {
            CompletableFuture<String> outcome =
                    CompletableFuture.supplyAsync(() -> stranger.connect(listener.address(), "of no kind"));
            handedOver.get(LIMIT_S, TimeUnit.SECONDS);
            awaitTasksOf(accepting);
            // This takes several round trips, longer than a refusal would take to arrive.
            for (int i = 0; i < 20; i++) {
                others.connect();
            }
            assertThat(outcome).isNotDone();
            mayGoOn.complete(null);
            assertThat(outcome.get(LIMIT_S, TimeUnit.SECONDS)).isEqualTo("refused");
        }
    }

    @Test
    void shouldKeepItsEndpointUntilTheOtherNicHasAnswered() throws Exception {
        RdmaListener listener = listen();
        CompletableFuture<Void> busy = new CompletableFuture<>();
        accepting.monitor().execute(busy::join);
        try (StrangePeer stranger = new StrangePeer()) {
            CompletableFuture<String> outcome =
                    CompletableFuture.supplyAsync(() -> stranger.connect(listener.address(), "of no kind"));
            handedOver.get(LIMIT_S, TimeUnit.SECONDS);
            listening.monitor().execute(listener::abort);
            mayGoOn.complete(null);
            awaitTasksOf(listening);
            assertThatThrownBy(() -> bind(listener.address())).isInstanceOf(BindException.class);
            busy.complete(null);
            assertThat(outcome.get(LIMIT_S, TimeUnit.SECONDS)).isEqualTo("refused");
            listener.close();
            bind(listener.address());
        }
    }

    private static void bind(InetSocketAddress address) throws IOException {
        new ServerSocket(address.getPort(), 1, address.getAddress()).close();
    }
}
