package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.Units;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of commands that connect to a broker. */
final class BrokerOptions {
    @Option(
            names = "--broker",
            paramLabel = "HOST:PORT",
            converter = Units.AddressConverter.class,
            description = "Address of the broker; by default the configured one, which is 127.0.0.1:7610.")
    InetSocketAddress broker;

    @Mixin
    TokenOption token = new TokenOption();

    @Mixin
    ConfigOptions config = RbmqConfiguration.clientOptions(token);

    /** Returns the configured settings of publishers, with the broker given on the command line. */
    ClientSettings publisher(Config loaded) {
        return withBroker(ClientSettings.publisher(loaded));
    }

    /** Returns the configured settings of subscribers, with the broker given on the command line. */
    ClientSettings subscriber(Config loaded) {
        return withBroker(ClientSettings.subscriber(loaded));
    }

    /** Returns the configured options of clients, with the broker given on the command line. */
    ClientOptions client(Config loaded) {
        ClientOptions options = ClientOptions.from(loaded);
        return broker == null ? options : options.withBrokers(address());
    }

    private ClientSettings withBroker(ClientSettings settings) {
        return broker == null ? settings : settings.withBroker(broker);
    }

    /** Returns the broker's address as specified on the command line. */
    String address() {
        return HostPort.of(broker);
    }
}
