package io.rocketbufs.rocketnet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class HostLookupTest {
    private static final String THREAD = "lookup";

    private final CompletableFuture<String> thread = new CompletableFuture<>();

    private void called() {
        thread.complete(Thread.currentThread().getName());
    }

    @Test
    void shouldUseAResolvedAddressOnTheCallersThread() {
        InetSocketAddress address = new InetSocketAddress("127.0.0.1", 7);
        HostLookup.resolve(
                address,
                THREAD,
                resolved -> {
                    assertThat(resolved).isEqualTo(address);
                    called();
                },
                () -> fail("the host is known"));
        assertThat(thread).isCompletedWithValue(Thread.currentThread().getName());
    }

    @Test
    void shouldLookUpAHostOnAnotherThread() {
        CompletableFuture<InetSocketAddress> found = new CompletableFuture<>();
        HostLookup.resolve(
                InetSocketAddress.createUnresolved("localhost", 7),
                THREAD,
                resolved -> {
                    called();
                    found.complete(resolved);
                },
                () -> found.completeExceptionally(new AssertionError("unknown")));
        assertThat(found)
                .succeedsWithin(60, TimeUnit.SECONDS)
                .matches(address ->
                        address.getPort() == 7 && address.getAddress().isLoopbackAddress());
        assertThat(thread).isCompletedWithValue(THREAD);
    }

    @Test
    void shouldReportAnUnknownHost() {
        HostLookup.resolve(
                InetSocketAddress.createUnresolved("no-such-host.invalid", 7),
                THREAD,
                resolved -> thread.completeExceptionally(new AssertionError(resolved)),
                this::called);
        assertThat(thread).succeedsWithin(60, TimeUnit.SECONDS).isEqualTo(THREAD);
    }
}
