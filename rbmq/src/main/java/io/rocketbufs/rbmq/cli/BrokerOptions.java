package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Units;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of commands that connect to a broker. */
final class BrokerOptions {
    @Option(
            names = "--broker",
            paramLabel = "HOST:PORT",
            converter = Units.AddressConverter.class,
            description = "Address of the broker; by default, the configured address (127.0.0.1:7610 if"
                    + " none is configured).")
    InetSocketAddress broker;

    @Mixin
    TokenOption token = new TokenOption();

    @Mixin
    TlsOptions tls = new TlsOptions();

    @Mixin
    ConfigOptions config = RbmqConfiguration.clientOptions(token, tls);

    /** Returns the configured publisher settings, with the broker specified on the command line. */
    ClientSettings publisher(Config loaded) {
        return withBroker(ClientSettings.publisher(loaded));
    }

    /** Returns the configured subscriber settings, with the broker specified on the command line. */
    ClientSettings subscriber(Config loaded) {
        return withBroker(ClientSettings.subscriber(loaded));
    }

    /** Returns the configured client options, with the broker specified on the command line. */
    ClientOptions client(Config loaded) {
        ClientOptions options = ClientOptions.from(loaded);
        return broker == null ? options : options.withBrokers(address());
    }

    private ClientSettings withBroker(ClientSettings settings) {
        return broker == null ? settings : settings.withBroker(broker);
    }

    /**
     * Calls a method that connects to the broker for the first time. A temporary refusal then results in the same exit
     * code as after a reconnection.
     *
     * @throws CommandFailure if the broker or this machine cannot currently accept or open another connection
     */
    static <T> T connect(Supplier<T> attempt) {
        try {
            return attempt.get();
        } catch (TransportException e) {
            throw e.code() == TransportException.Code.RESOURCES
                    ? new CommandFailure(ExitCode.UNAVAILABLE, e.getMessage())
                    : e;
        }
    }

    /** Returns the broker's address as specified on the command line. */
    String address() {
        return HostPort.of(broker);
    }
}
