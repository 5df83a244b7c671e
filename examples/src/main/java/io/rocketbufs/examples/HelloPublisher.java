package io.rocketbufs.examples;

import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.RbmqClient;

/** A program that publishes one message through an RBMQ broker. */
final class HelloPublisher {
    private HelloPublisher() {}

    /** Publishes a message through the broker named in the configuration. */
    public static void main(String[] arguments) {
        try (RbmqClient client = RbmqClient.connect()) {
            PublishResult result = client.publish("greetings", "Hello, world");
            System.out.println(result); // PUBLISHED
        } // closing waits until the broker has consumed the message
    }
}
