package io.rocketbufs.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;

/** A program that publishes one message through RBMQ's broker. */
final class HelloPublisher {
    private HelloPublisher() {}

    /** Publishes a message to the broker named in the configuration. */
    public static void main(String[] arguments) {
        ClientSettings settings = ClientSettings.publisher(ConfigFactory.load());
        try (RocketBufs rocketBufs = RocketBufs.open();
                Publisher publisher = Publisher.connect(rocketBufs, settings)) {
            PublishResult result = publisher.publish("greetings", "Hello, world".getBytes(UTF_8));
            System.out.println(result); // PUBLISHED
        } // closing waits until the broker has consumed the message
    }
}
