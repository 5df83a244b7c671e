package io.rocketbufs.examples;

import io.rocketbufs.rbmq.client.RbmqClient;

/** A program that prints the messages of one topic of an RBMQ broker. */
final class HelloSubscriber {
    private HelloSubscriber() {}

    /** Prints messages from the broker named in the configuration, until Ctrl-C. */
    public static void main(String[] arguments) {
        try (RbmqClient client = RbmqClient.connect()) {
            client.subscribe("greetings", message -> System.out.println(message.text()))
                    .ready()
                    .join();
            System.out.println("subscribed to greetings");
            client.closed().join(); // the client reconnects automatically, so this waits until Ctrl-C
        }
    }
}
