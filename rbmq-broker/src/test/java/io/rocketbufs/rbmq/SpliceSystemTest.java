package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that a broker sends data from the memory in which it arrived, over every pair of transports. */
@Timeout(600)
@ParameterizedClass
@MethodSource("io.rocketbufs.rbmq.TransportPair#all")
final class SpliceSystemTest {
    private static final int MESSAGES = 20_000;

    private final MemoryWatch memory = new MemoryWatch();
    private final RunningBroker running;

    SpliceSystemTest(TransportPair pair) {
        running = new RunningBroker(memory::open, pair.settings().toArray(String[]::new));
    }

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    void shouldCopyNothingBetweenTransports() throws Exception {
        AtomicLong received = new AtomicLong();
        Subscriber subscriber = running.subscriber();
        subscriber.subscribe("t", message -> received.incrementAndGet()).ready().get(60, TimeUnit.SECONDS);
        TopicPublisher publisher = running.publisher().topic("t");
        byte[] message = new byte[1000];
        for (int i = 0; i < MESSAGES; i++) {
            assertThat(publisher.publish(message)).isEqualTo(PublishResult.PUBLISHED);
        }
        await().until(() -> received.get() == MESSAGES);
        // A write is counted when it returns, possibly after the subscriber has received its data.
        await().until(() -> memory.sentFromArrivals() + memory.sentFromElsewhere() > (long) MESSAGES * message.length);
        assertThat(memory.sentFromElsewhere()).isZero();
    }
}
