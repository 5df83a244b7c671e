package io.rocketbufs.rbmq;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Publisher;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A program that connects with automatic transport selection and prints the transport that it uses. */
public final class AutomaticClient {
    private AutomaticClient() {}

    /**
     * Connects to the port in the first argument. The other arguments are the directory of the sockets and the group.
     */
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
