package io.rocketbufs.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.MessageHandler;
import io.rocketbufs.rbmq.client.Subscriber;

/** A program that prints the messages of one topic of RBMQ's broker. */
final class HelloSubscriber {
    private HelloSubscriber() {}

    /** Prints messages from the broker named in the configuration, until Ctrl-C. */
    public static void main(String[] arguments) {
        ClientSettings settings = ClientSettings.subscriber(ConfigFactory.load());
        try (RocketBufs rocketBufs = RocketBufs.open();
                Subscriber subscriber = Subscriber.connect(rocketBufs, settings)) {
            MessageHandler print = message -> System.out.println(new String(message.toBytes(), UTF_8));
            subscriber.subscribe("greetings", print).join();
            System.out.println("subscribed to greetings");
            subscriber.closed().join(); // fails when the broker closes the connection
        }
    }
}
