package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.Units;
import io.rocketbufs.rbmq.client.ClientSettings;
import java.net.InetSocketAddress;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of everything that connects to a broker. */
final class BrokerOptions {
    @Option(
            names = "--broker",
            paramLabel = "HOST:PORT",
            converter = Units.AddressConverter.class,
            description = "The broker; 127.0.0.1:7610 unless the configuration says otherwise.")
    InetSocketAddress broker;

    @Mixin
    ConfigOptions config = RbmqConfiguration.options();

    /** What the configuration says of publishers, with the broker of the command line. */
    ClientSettings publisher(Config loaded) {
        return withBroker(ClientSettings.publisher(loaded));
    }

    /** What the configuration says of subscribers, with the broker of the command line. */
    ClientSettings subscriber(Config loaded) {
        return withBroker(ClientSettings.subscriber(loaded));
    }

    private ClientSettings withBroker(ClientSettings settings) {
        return broker == null ? settings : settings.withBroker(broker);
    }

    /** What was given as the broker's address. */
    String address() {
        return broker.getHostString() + ":" + broker.getPort();
    }
}
