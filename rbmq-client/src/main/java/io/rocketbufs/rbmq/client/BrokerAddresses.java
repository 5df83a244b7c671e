package io.rocketbufs.rbmq.client;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The addresses at which a client tries to reach its broker, in order.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class BrokerAddresses {
    private final Names names;
    private final List<Failure> failures = new ArrayList<>();

    /** The name service. */
    @FunctionalInterface
    interface Names {
        /** Returns all addresses of a host; blocks. */
        InetAddress[] addresses(String host) throws UnknownHostException;
    }

    private record Failure(InetSocketAddress address, TransportException cause) {
        /** Returns the reason, preceded by the address unless the reason contains it. */
        String text() {
            String known = address.isUnresolved() ? HostPort.of(address) : HostPort.numeric(address);
            String message = cause.getMessage();
            return message.contains(known) ? message : known + ": " + message;
        }
    }

    private BrokerAddresses(Names names) {
        this.names = names;
    }

    /**
     * Reads a list of HOST:PORT addresses separated by commas; does not resolve the hosts.
     *
     * @throws IllegalArgumentException when {@code text} does not have this form; the message is intended for the user
     */
    static List<HostPort> parse(String text) {
        return Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .map(BrokerAddresses::parseOne)
                .toList();
    }

    private static HostPort parseOne(String text) {
        HostPort parsed = HostPort.parse(text);
        if (parsed.port() == 0) {
            throw new IllegalArgumentException("\"" + text + "\" is not HOST:PORT with a port from 1 to 65535");
        }
        return parsed;
    }

    /**
     * Connects to the first address that accepts the connection; tries all addresses of each host. Stops if the
     * transport cannot be used, the thread is interrupted, or a broker refuses the client with code REFUSED. After an
     * earlier broker has refused the client temporarily, however, the code REFUSED does not stop the search, because
     * another broker may have other users.
     *
     * @throws TransportException when no address accepts the connection; the message lists every address with its
     *     reason. The code is RESOURCES if a broker has refused the client temporarily.
     */
    static <T> T connect(List<HostPort> brokers, Function<InetSocketAddress, T> attempt) {
        return connect(brokers, InetAddress::getAllByName, attempt);
    }

    static <T> T connect(List<HostPort> brokers, Names names, Function<InetSocketAddress, T> attempt) {
        BrokerAddresses addresses = new BrokerAddresses(names);
        for (HostPort broker : brokers) {
            T connected = addresses.connect(broker, attempt);
            if (connected != null) {
                return connected;
            }
        }
        throw addresses.failure();
    }

    /** Tries all addresses of one host; returns null if none of them accepts the connection. */
    private <T> T connect(HostPort broker, Function<InetSocketAddress, T> attempt) {
        for (InetSocketAddress address : resolve(broker)) {
            try {
                return attempt.apply(address);
            } catch (TransportException e) {
                boolean isRefused = e.code() == TransportException.Code.REFUSED;
                if (isFinal(e) && !(isRefused && isRefusedTemporarily())) {
                    failures.forEach(earlier -> e.addSuppressed(earlier.cause()));
                    throw e;
                }
                failures.add(new Failure(address, e));
            }
        }
        return null;
    }

    private boolean isRefusedTemporarily() {
        return failures.stream().anyMatch(failure -> failure.cause().code() == TransportException.Code.RESOURCES);
    }

    /** Returns an unresolved address if the name is unknown; the transport then reports the error. */
    private List<InetSocketAddress> resolve(HostPort broker) {
        try {
            return Arrays.stream(names.addresses(broker.host()))
                    .map(address -> new InetSocketAddress(address, broker.port()))
                    .toList();
        } catch (UnknownHostException e) {
            return List.of(InetSocketAddress.createUnresolved(broker.host(), broker.port()));
        }
    }

    /**
     * Returns true if further attempts are pointless because the broker has refused the client or the transport cannot
     * be used. A temporary refusal has code RESOURCES and is not final.
     */
    static boolean isFinal(TransportException failure) {
        return failure.code() == TransportException.Code.REFUSED
                || failure.code() == TransportException.Code.UNAVAILABLE
                || Thread.currentThread().isInterrupted();
    }

    private TransportException failure() {
        TransportException first = failures.get(0).cause();
        if (failures.size() == 1) {
            return first;
        }
        TransportException all = new TransportException(
                commonCode(),
                "none of " + failures.size() + " addresses accepted the connection: "
                        + failures.stream().map(Failure::text).collect(Collectors.joining("; ")));
        failures.forEach(failure -> all.addSuppressed(failure.cause()));
        return all;
    }

    private TransportException.Code commonCode() {
        if (isRefusedTemporarily()) {
            return TransportException.Code.RESOURCES;
        }
        TransportException.Code first = failures.get(0).cause().code();
        boolean areAlike = failures.stream().allMatch(failure -> failure.cause().code() == first);
        return areAlike ? first : TransportException.Code.UNREACHABLE;
    }
}
