package io.rocketbufs.examples;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Publisher;
import java.nio.charset.StandardCharsets;

/** Publishes one message through RBMQ's broker. */
final class HelloPublisher {
    private HelloPublisher() {}

    /** Publishes to the broker at HOST:PORT, or to the one that the configuration names. */
    public static void main(String[] arguments) {
        Config config = ConfigFactory.load();
        ClientSettings settings = ClientSettings.publisher(config);
        ClientSettings broker = settings.withBroker(Arguments.address(arguments, 0, settings.broker()));
        try (RocketBufs rocketBufs = RocketBufs.open(config);
                Publisher publisher = Publisher.connect(rocketBufs, broker)) {
            byte[] message = "Hello, world".getBytes(StandardCharsets.UTF_8);
            System.out.println(publisher.publish("greetings", message)); // closing waits until the broker has it
        }
    }
}
