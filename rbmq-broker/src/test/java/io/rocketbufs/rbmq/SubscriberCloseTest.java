package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of a subscriber that is closed by one of its handlers. */
@Timeout(600)
final class SubscriberCloseTest {
    private final RunningBroker running = new RunningBroker("rocketbufs.tcp.num-threads = 2");
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void close() {
        release.countDown();
        running.close();
    }

    @Test
    void shouldCloseWithoutWaitingOnTheWorkerOfAnotherConnection() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        Subscriber subscriber = running.subscriber();
        subscriber
                .subscribe("stuck", message -> {
                    stuck.countDown();
                    awaitRelease();
                })
                .ready()
                .get(60, TimeUnit.SECONDS);
        for (int i = 0; i < 2; i++) { // one of the two connections belongs to the other worker
            running.subscriber()
                    .subscribe("go", message -> {
                        subscriber.close();
                        closed.countDown();
                    })
                    .ready()
                    .get(60, TimeUnit.SECONDS);
        }
        Publisher publisher = running.opened(Publisher.connect(running.another(), running.publisherSettings()));
        publisher.topic("go").announced().get(60, TimeUnit.SECONDS);
        publisher.publish("stuck", new byte[1]);
        assertThat(stuck.await(60, TimeUnit.SECONDS)).isTrue();
        publisher.publish("go", new byte[1]);
        // The stuck handler delays the end of the connection. On any other thread, close() would wait for that end.
        assertThat(closed.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(subscriber.closed()).isNotDone();
        release.countDown();
        subscriber.closed().get(60, TimeUnit.SECONDS);
    }

    private void awaitRelease() {
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
