package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class SharedRoundTripsTest {
    private final List<CompletableFuture<Void>> begun = new ArrayList<>();
    private final SharedRoundTrips trips = new SharedRoundTrips(() -> {
        begun.add(new CompletableFuture<>());
        return begun.get(begun.size() - 1);
    });

    @Test
    void shouldShareTheNextRoundTripOfThoseThatBeginDuringOne() {
        CompletableFuture<Void> first = trips.begin();
        CompletableFuture<Void> second = trips.begin();
        CompletableFuture<Void> third = trips.begin();
        assertThat(begun).hasSize(1);
        begun.get(0).complete(null);
        assertThat(first).isCompleted();
        assertThat(second).isNotDone();
        assertThat(begun).hasSize(2);
        CompletableFuture<Void> fourth = trips.begin();
        begun.get(1).complete(null);
        assertThat(second).isCompleted();
        assertThat(third).isCompleted();
        assertThat(fourth).isNotDone();
        begun.get(2).complete(null);
        assertThat(fourth).isCompleted();
        assertThat(begun).hasSize(3);
    }

    @Test
    void shouldBeginARoundTripAtOnceAfterTheLastOne() {
        trips.begin();
        begun.get(0).complete(null);
        assertThat(begun).hasSize(1);
        CompletableFuture<Void> next = trips.begin();
        assertThat(begun).hasSize(2);
        begun.get(1).complete(null);
        assertThat(next).isCompleted();
    }

    @Test
    void shouldGoOnAfterAFailure() {
        CompletableFuture<Void> failed = trips.begin();
        CompletableFuture<Void> next = trips.begin();
        begun.get(0).completeExceptionally(new IllegalStateException());
        assertThat(failed).isCompletedExceptionally();
        begun.get(1).complete(null);
        assertThat(next).isCompleted();
    }

    @Test
    void shouldBeginTheNextRoundTripForACallThatAResultCauses() {
        List<CompletableFuture<Void>> caused = new ArrayList<>();
        trips.begin().thenRun(() -> caused.add(trips.begin()));
        begun.get(0).complete(null);
        assertThat(caused).hasSize(1);
        assertThat(begun).hasSize(2);
        begun.get(1).complete(null);
        assertThat(caused.get(0)).isCompleted();
    }
}
