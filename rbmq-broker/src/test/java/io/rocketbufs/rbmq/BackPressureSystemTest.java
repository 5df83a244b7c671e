package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.Claim;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.PublisherCallback;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of the callback that notifies a publisher when a topic runs out of space and when there is space again. */
@Timeout(600)
@ParameterizedClass
@MethodSource("io.rocketbufs.rbmq.TransportPair#all")
final class BackPressureSystemTest {
    private final String[] settings;
    private final RunningBroker running;
    private final ClientSettings small;
    private final Notices notices = new Notices();
    private final CountDownLatch release = new CountDownLatch(1);

    BackPressureSystemTest(TransportPair pair) {
        List<String> all = new ArrayList<>(pair.settings());
        all.add("rbmq.broker.capacity = 1000");
        all.add("rbmq.subscriber.capacity = 1000");
        all.add("rbmq.publisher.capacity = 1000");
        settings = all.toArray(String[]::new);
        running = new RunningBroker(settings);
        small = running.publisherSettings();
    }

    /** A record of the notices so far. A thread can wait for the notice that there is space. */
    private final class Notices implements PublisherCallback {
        private final List<Boolean> all = new ArrayList<>();
        private boolean isOn;
        private boolean isElsewhere;

        @Override
        public synchronized void onBackPressure(String topic, boolean on) {
            assertThat(topic).isEqualTo("t");
            all.add(on);
            isOn = on;
            isElsewhere |= !running.clients().isWorkerThread();
            notifyAll();
        }

        synchronized boolean isOn() {
            return isOn;
        }

        synchronized List<Boolean> all() {
            return List.copyOf(all);
        }

        synchronized void awaitSpace() throws InterruptedException {
            while (isOn) {
                wait();
            }
        }

        /** Checks that the notices alternate, starting with true, and arrived on a worker. */
        synchronized void check() {
            for (int i = 0; i < all.size(); i++) {
                assertThat(all.get(i)).as("%s", all).isEqualTo(i % 2 == 0);
            }
            assertThat(isElsewhere).isFalse();
        }
    }

    @AfterEach
    void close() {
        release.countDown();
        running.close();
        notices.check();
    }

    @Test
    void shouldReportOnceThatSpaceIsLackingAndOnceThatThereIsSpaceAgain() throws Exception {
        Publisher publisher = running.publisher(small, notices);
        TopicPublisher topic = publisher.topic("t");
        assertThat(topic.publish(new byte[100])).isEqualTo(PublishResult.PUBLISHED);
        publisher.flush().get(60, TimeUnit.SECONDS);
        Claim claim = openClaim(topic);
        assertThat(notices.all()).isEmpty();
        for (int i = 0; i < 1000; i++) {
            assertThat(topic.tryPublish(new byte[100])).isEqualTo(PublishResult.NO_SPACE);
        }
        await().until(notices::isOn);
        assertThat(topic.tryPublish(new byte[100])).isEqualTo(PublishResult.NO_SPACE);
        claim.abort();
        await().until(() -> !notices.isOn());
        assertThat(notices.all()).containsExactly(true, false);
        assertThat(topic.tryPublish(new byte[100])).isEqualTo(PublishResult.PUBLISHED);
    }

    @Test
    void shouldReportThatAThreadWaitsForSpace() throws Exception {
        stuckSubscriber();
        TopicPublisher topic = running.publisher(small, notices).topic("t");
        CompletableFuture<Void> publishing = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 100; i++) {
                topic.publish(new byte[100]);
            }
        });
        await().until(() -> notices.isOn() && topic.tryPublish(new byte[100]) == PublishResult.NO_SPACE);
        release.countDown();
        publishing.get(60, TimeUnit.SECONDS);
        await().until(() -> !notices.isOn());
    }

    @Test
    void shouldAlwaysReportSpaceAfterARefusal() throws Exception {
        Messages messages = new Messages();
        Subscriber subscriber = running.subscriber();
        subscriber.subscribe("t", messages).ready().get(60, TimeUnit.SECONDS);
        Publisher publisher = running.publisher(small, notices);
        TopicPublisher topic = publisher.topic("t");
        int count = 1400; // each length occurs twice
        for (int i = 0; i < count; i++) {
            byte[] message = new byte[i % 700];
            while (topic.tryPublish(message) == PublishResult.NO_SPACE) {
                notices.awaitSpace();
            }
        }
        await().until(() -> messages.count() == count);
        assertThat(notices.all()).isNotEmpty();
        await().until(() -> !notices.isOn());
    }

    @Test
    void shouldReportTheEndOfBackPressureWhenTheTopicEnds() throws Exception {
        Publisher publisher = running.publisher(small, notices);
        TopicPublisher topic = publisher.topic("t");
        Claim claim = openClaim(topic);
        assertThat(topic.tryClaim(100).refusal()).isEqualTo(PublishResult.NO_SPACE);
        await().until(notices::isOn);
        running.broker().close();
        await().until(() -> !notices.isOn());
        assertThat(topic.tryPublish(new byte[100])).isEqualTo(PublishResult.NOT_CONNECTED);
        claim.abort();
        assertThat(notices.all()).containsExactly(true, false);
    }

    /**
     * Returns a claim that leaves less than 100 bytes of space. No other thread can free space while the claim is open.
     */
    private static Claim openClaim(TopicPublisher topic) throws Exception {
        // Space may become available when the broker subscribes, which would end an earlier refusal.
        topic.announced().get(60, TimeUnit.SECONDS);
        Claim claim = topic.claim(950);
        assertThat(claim.isGranted()).isTrue();
        return claim;
    }

    private void stuckSubscriber() throws Exception {
        RocketBufs own = running.opened(RocketBufs.open(RunningBroker.config(settings)));
        Subscriber subscriber =
                running.opened(Subscriber.connect(own, running.subscriberSettings(), new SubscriberCallback() {}));
        subscriber.subscribe("t", message -> awaitRelease()).ready().get(60, TimeUnit.SECONDS);
    }

    private void awaitRelease() {
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
