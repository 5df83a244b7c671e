package io.rocketbufs.examples;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Message;
import io.rocketbufs.rbmq.client.Subscriber;
import java.nio.charset.StandardCharsets;

/** Prints the messages of one topic of RBMQ's broker. */
final class HelloSubscriber {
    private HelloSubscriber() {}

    /** Prints what the broker at HOST:PORT, or the one that the configuration names, has until Ctrl-C. */
    public static void main(String[] arguments) {
        Config config = ConfigFactory.load();
        ClientSettings settings = ClientSettings.subscriber(config);
        ClientSettings broker = settings.withBroker(Arguments.address(arguments, 0, settings.broker()));
        try (RocketBufs rocketBufs = RocketBufs.open(config);
                Subscriber subscriber = Subscriber.connect(rocketBufs, broker)) {
            subscriber.subscribe("greetings", HelloSubscriber::print).join();
            System.out.println("subscribed to greetings");
            subscriber.closed().join(); // fails when the broker has gone
        }
    }

    private static void print(Message message) {
        System.out.println(new String(message.toBytes(), StandardCharsets.UTF_8));
    }
}
