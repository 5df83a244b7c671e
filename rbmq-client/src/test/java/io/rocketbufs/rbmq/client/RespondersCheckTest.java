package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class RespondersCheckTest {
    private final List<CompletableFuture<Void>> consumed = new ArrayList<>();
    private final List<CompletableFuture<Void>> arrived = new ArrayList<>();
    private final List<Long> failed = new ArrayList<>();
    private boolean hasSubscribers;

    private final RespondersCheck check = new RespondersCheck(
            () -> added(consumed), () -> added(arrived), () -> hasSubscribers, request -> failed.add(request.id()));

    @Test
    void shouldFailRequestsAfterBothRoundTrips() {
        publish(1);
        check.begin();
        publish(2); // after the check has begun
        assertThat(consumed).hasSize(1);
        assertThat(arrived).isEmpty();
        consumed.get(0).complete(null);
        assertThat(arrived).hasSize(1);
        assertThat(failed).isEmpty();
        arrived.get(0).complete(null);
        assertThat(failed).containsExactly(1L);
    }

    @Test
    void shouldFailNoRequestWhenASubscriberIsReportedBeforeTheConfirmation() {
        publish(1);
        check.begin();
        hasSubscribers = true;
        consumed.get(0).complete(null);
        assertThat(arrived).isEmpty();
        assertThat(failed).isEmpty();
    }

    @Test
    void shouldFailNoRequestWhenASubscriberComesDuringTheSecondRoundTrip() {
        publish(1);
        check.begin();
        consumed.get(0).complete(null);
        hasSubscribers = true;
        arrived.get(0).complete(null);
        assertThat(failed).isEmpty();
    }

    @Test
    void shouldMakeOneCheckOfThoseThatBeginWhileOneRuns() {
        PendingRequest first = publish(1);
        check.begin();
        publish(2);
        check.begin();
        check.begin();
        assertThat(consumed).hasSize(1);
        consumed.get(0).complete(null);
        arrived.get(0).complete(null);
        assertThat(failed).containsExactly(1L);
        check.remove(first);
        assertThat(consumed).hasSize(2);
        consumed.get(1).complete(null);
        arrived.get(1).complete(null);
        // The first request was still published when the second check started. The order within a check is undefined.
        assertThat(failed).containsExactlyInAnyOrder(1L, 1L, 2L);
        assertThat(consumed).hasSize(2);
    }

    @Test
    void shouldFailNoRequestWhenARoundTripFailsAndBeginAgainLater() {
        publish(1);
        check.begin();
        consumed.get(0).completeExceptionally(new IllegalStateException());
        arrived.get(0).completeExceptionally(new IllegalStateException());
        assertThat(failed).isEmpty();
        check.begin();
        assertThat(consumed).hasSize(2);
    }

    @Test
    void shouldMakeNoRoundTripWithoutRequests() {
        check.begin();
        assertThat(consumed).isEmpty();
        publish(1);
        check.begin();
        assertThat(consumed).hasSize(1);
    }

    private PendingRequest publish(long id) {
        PendingRequest request = new PendingRequest(id, null, ended -> {});
        request.published();
        check.add(request);
        return request;
    }

    private static CompletableFuture<Void> added(List<CompletableFuture<Void>> futures) {
        CompletableFuture<Void> future = new CompletableFuture<>();
        futures.add(future);
        return future;
    }
}
