package io.rocketbufs.rbmq.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.protocol.TopicFilter;
import io.rocketbufs.rocketnet.TransportException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of the end of subscriptions, without a broker. */
@Tag("once")
final class SubscriptionTest {
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<String> handled = new ArrayList<>();
    private final SubscriptionList subscriptions = new SubscriptionList();
    private final TransportException lost = new TransportException(TransportException.Code.CLOSED, "lost");

    private static final class Owner implements SubscriptionOwner<Subscription> {
        @Override
        public void onClose(Subscription subscription) {}

        @Override
        public void onResume(Runnable reading) {}

        @Override
        public void onReading(Subscription subscription) {}

        @Override
        public void onFailure(Subscription subscription, String topic, int publisher, Throwable failure) {}

        @Override
        public void onFatal(Throwable failure) {}

        @Override
        public void onRejected(Subscription subscription) {}
    }

    /** A connection may be lost while a subscription is requested. Both the worker and the caller then end it. */
    @Test
    void shouldKeepTheFirstFailure() {
        Subscription subscription = subscribe(SubscriptionOptions.DEFAULTS);
        subscription.fail(lost);
        subscription.fail(new TransportException(TransportException.Code.CLOSED, "closed"));
        subscription.end();
        assertThat(subscription.failure()).isSameAs(lost);
        assertThat(subscription.ready()).isCompletedExceptionally();
        assertThat(subscription.closed()).isCompleted();
    }

    @Test
    void shouldHaveNoFailureWhenTheApplicationHasClosedIt() {
        Subscription subscription = subscribe(SubscriptionOptions.DEFAULTS);
        subscription.close();
        subscription.fail(lost);
        assertThat(subscription.failure()).isNull();
    }

    @Test
    void shouldDiscardTheQueueWhenItIsClosedAfterTheLossOfTheConnection() {
        Subscription subscription = subscribe(SubscriptionOptions.DEFAULTS.withExecutor(tasks::add));
        subscription.handler().onMessage(new Message(new ReceivedMessage("t", 7, "a".getBytes(UTF_8), 0)));
        subscription.fail(lost);
        assertThat(subscription.closed()).isNotDone();
        subscription.close();
        assertThat(subscription.closed()).isCompleted();
        tasks.forEach(Runnable::run);
        assertThat(handled).isEmpty();
        assertThat(subscription.failure()).isSameAs(lost);
    }

    @Test
    void shouldCountUntilTheLastCallOfTheHandlerHasEnded() {
        Subscription subscription = subscribe(SubscriptionOptions.DEFAULTS.withExecutor(tasks::add));
        subscription.close();
        subscriptions.remove(subscription);
        subscription.counts().failed(); // by the call in progress
        assertThat(subscriptions.sum(SubscriptionCounts::failedCount)).isEqualTo(1);
        subscription.end();
        tasks.forEach(Runnable::run);
        assertThat(subscription.closed()).isCompleted();
        assertThat(subscriptions.sum(SubscriptionCounts::failedCount)).isEqualTo(1);
    }

    private Subscription subscribe(SubscriptionOptions options) {
        return subscriptions.add(number -> new Subscription(
                number, TopicFilter.of("t"), message -> handled.add(message.text()), options, null, 1, new Owner()));
    }
}
