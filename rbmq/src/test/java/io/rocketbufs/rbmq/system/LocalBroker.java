package io.rocketbufs.rbmq.system;

import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.TransportPair;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A broker in the test's own process, for tests of client processes. A separate broker process would take much longer
 * to start.
 */
final class LocalBroker implements TestedBroker {
    private final TransportPair pair;
    private final RunningBroker running;
    private final List<String> clientArguments = new ArrayList<>();

    private LocalBroker(TransportPair pair, String... settings) {
        this.pair = pair;
        List<String> own = pair.settings();
        own.forEach(setting -> clientArguments.addAll(List.of("--set", setting)));
        running = new RunningBroker(
                Stream.concat(own.stream(), Stream.of(settings)).toArray(String[]::new));
    }

    /** Starts a broker whose clients use TCP. */
    static LocalBroker start(String... settings) {
        return new LocalBroker(TransportPair.TCP_TCP, settings);
    }

    /** Starts a broker whose clients use the given pair of transports. */
    static LocalBroker start(TransportPair pair, String... settings) {
        return new LocalBroker(pair, settings);
    }

    /** Returns the broker, for operations that its client processes cannot perform. */
    RunningBroker running() {
        return running;
    }

    @Override
    public TransportPair pair() {
        return pair;
    }

    @Override
    public String address() {
        return HostPort.of(running.address());
    }

    @Override
    public String subscribersAddress() {
        List<InetSocketAddress> all = running.broker().addresses();
        return HostPort.of(all.get(all.size() - 1));
    }

    String adminAddress() {
        return HostPort.of(running.broker().adminAddress());
    }

    @Override
    public List<String> clientArguments() {
        return clientArguments;
    }

    @Override
    public void close() {
        running.close();
    }
}
