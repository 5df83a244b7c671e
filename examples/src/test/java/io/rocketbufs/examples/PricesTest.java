package io.rocketbufs.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.broker.RbmqBroker;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.test.RbmqTest;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The test class shown in docs/client-guide.md. */
@Tag("once")
@RbmqTest("rbmq.broker.capacity = 64 KiB")
final class PricesTest {
    private final List<String> received = new CopyOnWriteArrayList<>();

    @Test
    void shouldReceiveAPrice(RbmqClient client) {
        client.subscribe("prices", message -> received.add(message.text()))
                .ready()
                .join();
        client.publish("prices", "12.50 EUR");
        await().untilAsserted(() -> assertThat(received).containsExactly("12.50 EUR"));
    }

    @Test
    void shouldConnectWithOtherOptions(ClientOptions options, RbmqBroker broker) {
        try (RbmqClient client = RbmqClient.connect(options.withName("price feed"))) {
            client.publish("prices", "12.50 EUR");
            assertThat(broker.broker().state().publisherCount()).isEqualTo(1);
        }
    }
}
