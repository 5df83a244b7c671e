package io.rocketbufs.livestream.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.livestream.page.ServerFacts.PeerFacts;
import io.rocketbufs.metrics.SubscriptionState;
import io.rocketbufs.options.SlowPolicy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class EdgeTrafficTest {
    private static final String EDGE = "10.0.0.7:1000";

    private final EdgeTraffic traffic = new EdgeTraffic();

    @Test
    void shouldKeepTheSumsOfStreamsThatHaveEnded() {
        Map<String, Long> connected = Map.of(EDGE, 5L);
        traffic.add(List.of(subscription(1, 100, 7, 0), subscription(2, 50, 3, 9)), connected);
        assertThat(traffic.add(List.of(subscription(2, 80, 0, 9)), connected))
                .containsExactly(new PeerFacts(EDGE, 5, null, 180, 0, 9));
        assertThat(traffic.sentLength()).isEqualTo(180);
        assertThat(traffic.lostLength()).isEqualTo(9);
    }

    @Test
    void shouldKeepTheTotalsOfEdgesThatHaveLeft() {
        traffic.add(List.of(subscription(1, 100, 7, 1)), Map.of(EDGE, 5L));
        assertThat(traffic.add(List.of(), Map.of())).isEmpty();
        assertThat(traffic.add(List.of(subscription(1, 30, 0, 0)), Map.of(EDGE, 0L)))
                .containsExactly(new PeerFacts(EDGE, 0, null, 30, 0, 0));
        assertThat(traffic.sentLength()).isEqualTo(130);
    }

    @Test
    void shouldNotCountBackwardsWhenAnEdgeHasSubscribedAgain() {
        Map<String, Long> connected = Map.of(EDGE, 5L);
        traffic.add(List.of(subscription(1, 1000, 0, 20)), connected);
        assertThat(traffic.add(List.of(subscription(1, 300, 0, 1)), connected))
                .containsExactly(new PeerFacts(EDGE, 5, null, 1300, 0, 21));
        assertThat(traffic.sentLength()).isEqualTo(1300);
        assertThat(traffic.lostLength()).isEqualTo(21);
    }

    private static SubscriptionState subscription(int bufferId, long sent, long pending, long lost) {
        return new SubscriptionState(bufferId, EDGE, SlowPolicy.SKIP, sent, pending, lost, 1, 0, 0, 0, 0);
    }
}
