package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigUtil;
import io.rocketbufs.ListenerSettings;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.Ports;
import io.rocketbufs.rbmq.bench.BenchResult;
import io.rocketbufs.rbmq.broker.AccessSettings;
import io.rocketbufs.rbmq.broker.BrokerSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The addresses on which a benchmark's broker listens and to which its clients connect. Normally, both are the
 * configured address. If the configured address is loopback, the benchmark uses the transport's own address on this
 * machine.
 *
 * <p><b>Thread-safety:</b> one thread. <b>Ownership:</b> owns its {@link BenchToken}.
 */
final class BenchListeners implements AutoCloseable {
    private static final String LISTENER = "{transport=%s,address=\"%s\",port=0}";

    private final BrokerSettings configured;
    private final BenchResult.Transports transports;
    private final Place publisherPlace;
    private final Place subscriberPlace;
    /**
     * A token for this run if the broker would otherwise be open to clients on other machines; null if no token is
     * needed.
     */
    private final BenchToken token;

    /** A pair of addresses: one to listen on, and the corresponding one to connect to. */
    private record Place(String listening, String reached, boolean exposed) {}

    /**
     * Opens the transports to query their addresses.
     *
     * @throws io.rocketbufs.rocketnet.TransportException with code UNAVAILABLE when a transport cannot be used
     */
    BenchListeners(Config config, BenchResult.Transports transports) {
        this.transports = transports;
        configured = BrokerSettings.from(config);
        try (RocketBufs rocketBufs = RocketBufs.open(config)) {
            publisherPlace = place(rocketBufs, transports.publisher());
            subscriberPlace = place(rocketBufs, transports.subscriber());
        }
        AccessSettings access = configured.access();
        boolean open = access.users().isEmpty() && !access.insecure();
        boolean isExposed = publisherPlace.exposed || subscriberPlace.exposed;
        token = open && isExposed ? new BenchToken(UUID.randomUUID().toString()) : null;
    }

    /** Returns the broker's arguments, which override the configuration. */
    List<String> brokerArguments() {
        List<String> arguments = new ArrayList<>();
        if (token != null) {
            arguments.addAll(List.of(
                    "--set",
                    "rbmq.users=[{name=bench,token-file="
                            + ConfigUtil.quoteString(token.file().toString())
                            + ",publish=[\"#\"],subscribe=[\"#\"],admin=true}]"));
        }
        if (isMixed()) {
            String first = String.format(LISTENER, transports.publisher(), publisherPlace.listening);
            String second = String.format(LISTENER, transports.subscriber(), subscriberPlace.listening);
            arguments.addAll(List.of("--set", "rbmq.listeners=[" + first + "," + second + "]"));
        } else {
            arguments.addAll(List.of("--set", "rbmq.listeners=[]"));
            arguments.addAll(List.of("--set", "rocketbufs.transport=" + transports.publisher()));
            arguments.addAll(List.of("--set", "rbmq.address=" + publisherPlace.listening));
        }
        return arguments;
    }

    /** Returns the token for this run; null if clients use the configured token. */
    BenchToken token() {
        return token;
    }

    /** Returns the address to which publishers connect, with the port from the broker's ready line. */
    String publisherAddress(Ports ports) {
        return publisherPlace.reached + ":" + listeners(ports).get(0);
    }

    /** Returns the address to which subscribers connect, with the port from the broker's ready line. */
    String subscriberAddress(Ports ports) {
        return subscriberPlace.reached + ":" + listeners(ports).get(isMixed() ? 1 : 0);
    }

    /** Returns the listeners' ports in the order of the settings. */
    private static List<Integer> listeners(Ports ports) {
        return ports.byName().entrySet().stream()
                .filter(port -> !port.getKey().equals(Ports.ADMIN))
                .map(Map.Entry::getValue)
                .toList();
    }

    @Override
    public void close() {
        if (token != null) {
            token.close();
        }
    }

    private boolean isMixed() {
        return !transports.publisher().equals(transports.subscriber());
    }

    private Place place(RocketBufs rocketBufs, String transport) {
        String host = configuredHost(transport);
        InetAddress address = lookUp(host);
        InetAddress local = rocketBufs.localAddress(transport);
        if (address.isLoopbackAddress()) {
            return new Place(local.getHostAddress(), local.getHostAddress(), !local.isLoopbackAddress());
        }
        return new Place(host, address.isAnyLocalAddress() ? local.getHostAddress() : host, true);
    }

    private String configuredHost(String transport) {
        List<ListenerSettings> listeners = configured.listeners();
        return listeners.stream()
                .filter(listener -> listener.transport().equals(transport))
                .findFirst()
                .orElse(listeners.get(0))
                .host();
    }

    private static InetAddress lookUp(String host) {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw CommandFailure.failed("\"" + host + "\" is not a known host");
        }
    }
}
