package io.rocketbufs.rbmq.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class BenchSubscriberTest {
    private final RunningBroker running = new RunningBroker();
    private final BenchSubscriber subscriber = new BenchSubscriber();
    private TopicPublisher topic;
    private long sequence;

    @BeforeEach
    void connect() throws Exception {
        running.subscriber().subscribe("t", subscriber).ready().get(60, TimeUnit.SECONDS);
        topic = running.publisher().topic("t");
    }

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    void shouldTimeAMessageDueWithinTheMeasurementEvenIfItArrivesLate() {
        subscriber.begin();
        long due = System.nanoTime();
        subscriber.end();
        publish(due);
        publish(System.nanoTime());
        assertThat(subscriber.latencies().getTotalCount()).isEqualTo(1);
        assertThat(subscriber.received()).isEqualTo(2);
    }

    @Test
    void shouldNotTimeAMessageDueBeforeTheMeasurement() {
        long due = System.nanoTime();
        publish(due);
        subscriber.begin();
        publish(due);
        publish(System.nanoTime());
        assertThat(subscriber.latencies().getTotalCount()).isEqualTo(1);
    }

    @Test
    void shouldDiscardLatenciesWhenTheMeasurementRestarts() {
        subscriber.begin();
        publish(System.nanoTime());
        assertThat(subscriber.latencies().getTotalCount()).isEqualTo(1);
        subscriber.begin();
        assertThat(subscriber.latencies().getTotalCount()).isZero();
        publish(System.nanoTime());
        publish(System.nanoTime());
        assertThat(subscriber.latencies().getTotalCount()).isEqualTo(2);
    }

    @Test
    void shouldNotTimeAMessageWithoutATimeStamp() {
        subscriber.begin();
        publish(BenchMessageLayout.NO_STAMP);
        assertThat(subscriber.latencies().getTotalCount()).isZero();
        assertThat(subscriber.corrupted()).isZero();
    }

    private void publish(long stamp) {
        topic.publish(ByteBuffer.allocate(BenchMessageLayout.MIN_STAMPED_LENGTH)
                .putLong(BenchMessageLayout.header(0, sequence++))
                .putLong(stamp)
                .array());
        await().until(() -> subscriber.received() == sequence);
    }
}
