package io.rocketbufs.rbmq;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Publisher;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A program that connects with an automatic transport, and prints which one it uses. */
public final class AutomaticClient {
    private AutomaticClient() {}

    /** Connects to the port in the first argument, with the directory of sockets and the group in the next ones. */
    public static void main(String[] arguments) {
        Config config = RunningBroker.config(
                "rocketbufs.transport = auto",
                "rocketbufs.shm.directory = \"" + arguments[1] + "\"",
                "rocketbufs.shm.group = \"" + arguments[2] + "\"");
        InetSocketAddress broker =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
        try (RocketBufs rocketBufs = RocketBufs.open(config);
                Publisher publisher = Publisher.connect(
                        rocketBufs, ClientSettings.publisher(config).withBroker(broker))) {
            System.out.println("transport: " + publisher.transport());
        }
    }
}
