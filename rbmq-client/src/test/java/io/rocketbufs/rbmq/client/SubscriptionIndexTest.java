package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class SubscriptionIndexTest {
    private final SubscriptionIndex index = new SubscriptionIndex();

    private Subscription add(String filter) {
        Subscription subscription = ReadFrames.subscription(filter, message -> {});
        index.add(subscription);
        return subscription;
    }

    @Test
    void shouldFindTheSubscriptionsThatMatchATopic() {
        Subscription topic = add("a/1");
        Subscription again = add("a/1");
        Subscription filter = add("a/+");
        add("b");
        assertThat(index.of("a/1")).containsExactly(topic, again, filter);
        assertThat(index.of("a/2")).containsExactly(filter);
        assertThat(index.of("c")).isEmpty();
    }

    @Test
    void shouldFindOnlyTheSameFilterForAFilter() {
        Subscription filter = add("a/+");
        add("#");
        add("a/1");
        assertThat(index.of("a/+")).containsExactly(filter);
        assertThat(index.of("+/1")).isEmpty();
        assertThat(index.filters()).containsExactlyInAnyOrder("a/+", "#", "a/1");
    }

    @Test
    void shouldForgetSubscriptionsThatAreRemoved() {
        Subscription topic = add("a/1");
        Subscription filter = add("a/+");
        assertThat(index.remove(filter)).isTrue();
        assertThat(index.remove(filter)).isFalse();
        assertThat(index.of("a/1")).containsExactly(topic);
        assertThat(index.isEmpty()).isFalse();
        assertThat(index.remove(topic)).isTrue();
        assertThat(index.isEmpty()).isTrue();
    }
}
