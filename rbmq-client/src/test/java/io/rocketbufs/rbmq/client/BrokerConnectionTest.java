package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.text.HostPort;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class BrokerConnectionTest {
    /** A client tries again after an error, but ends after other unexpected exceptions. */
    @Test
    void shouldThrowTheErrorThatOccurredOnTheWorker() {
        Error error = new OutOfMemoryError("no memory");
        CompletableFuture<Void> message = CompletableFuture.failedFuture(error);
        assertThatThrownBy(() ->
                        BrokerConnection.await(new CompletableFuture<>(), message, new HostPort("127.0.0.1", 1), 1000))
                .isSameAs(error);
    }
}
