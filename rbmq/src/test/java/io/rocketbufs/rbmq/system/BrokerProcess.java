package io.rocketbufs.rbmq.system;

import io.rocketbufs.process.LastingPort;
import io.rocketbufs.rbmq.TransportPair;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A broker as a separate process on its own ports. */
final class BrokerProcess implements TestedBroker {
    /** Number of words in the ready line before the port of a second listener. */
    private static final int FURTHER = 3;

    /** On a busy machine, a subscriber may join late. */
    private static final String PATIENT = "rbmq.broker.join-timeout=60s";

    private static final String[] ON_ANY_PORTS = {
        "broker", "--set", "rbmq.port=0", "--set", "rbmq.admin.port=0", "--set", PATIENT
    };

    private final TransportPair pair;
    private final RbmqProcess process;

    private final List<String> clientArguments;
    private final String address;
    private final String lastAddress;
    private final String adminAddress;

    private BrokerProcess(TransportPair pair, RbmqProcess process, List<String> clientArguments) {
        this.pair = pair;
        this.process = process;
        this.clientArguments = clientArguments;
        List<String> ports = awaitPorts(process);
        this.address = "127.0.0.1:" + port(ports.get(1));
        this.adminAddress = "127.0.0.1:" + port(ports.get(2));
        this.lastAddress = ports.size() == FURTHER ? address : "127.0.0.1:" + port(ports.get(FURTHER));
    }

    /** Waits for the ready line and returns its words. Ends a process that does not become ready. */
    private static List<String> awaitPorts(RbmqProcess process) {
        try {
            process.awaitOut("\n");
            return List.of(process.outText().strip().split(" "));
        } catch (RuntimeException | Error e) {
            process.close();
            throw e;
        }
    }

    /** Starts a broker with the default transport and the given settings, and waits until it is ready. */
    static BrokerProcess start(String... settings) {
        return start(TransportPair.TCP_TCP, List.of(), settings);
    }

    /** Starts a broker with a configuration file, and waits until it is ready. */
    static BrokerProcess start(Path configuration) {
        List<String> arguments = new ArrayList<>(List.of(ON_ANY_PORTS));
        arguments.addAll(List.of("--config", configuration.toString()));
        RbmqProcess process = RbmqProcess.start(arguments.toArray(String[]::new));
        return new BrokerProcess(TransportPair.TCP_TCP, process, List.of());
    }

    /** Starts a broker with additional environment variables. */
    static BrokerProcess startIn(Map<String, String> variables) {
        return new BrokerProcess(TransportPair.TCP_TCP, RbmqProcess.startIn(variables, ON_ANY_PORTS), List.of());
    }

    /** Starts a broker whose standard error is not read. */
    static BrokerProcess startWithUnreadErr() {
        RbmqProcess process = RbmqProcess.startWithUnreadErr(ON_ANY_PORTS);
        return new BrokerProcess(TransportPair.TCP_TCP, process, List.of());
    }

    /** Starts a broker whose standard error is written to a file. */
    static BrokerProcess startWithErrInto(File file) {
        RbmqProcess process = RbmqProcess.startWithErrInto(file, ON_ANY_PORTS);
        return new BrokerProcess(TransportPair.TCP_TCP, process, List.of());
    }

    /** Starts a broker whose clients use the given pair of transports. */
    static BrokerProcess start(TransportPair pair, String... settings) {
        return start(pair, pair.settings(), settings);
    }

    private static BrokerProcess start(TransportPair pair, List<String> pairSettings, String... settings) {
        List<String> arguments = new ArrayList<>(List.of(ON_ANY_PORTS));
        arguments.addAll(List.of("--set", "rbmq.port=" + LastingPort.find()));
        List<String> pairArguments = new ArrayList<>();
        for (String setting : pairSettings) {
            pairArguments.addAll(List.of("--set", setting));
        }
        arguments.addAll(pairArguments);
        for (String setting : settings) {
            arguments.addAll(List.of("--set", setting));
        }
        return new BrokerProcess(pair, RbmqProcess.start(arguments.toArray(String[]::new)), pairArguments);
    }

    /** Starts another broker on the same addresses with the given settings; all other settings have their defaults. */
    BrokerProcess startAgain(String... settings) {
        List<String> pairSettings = clientArguments.isEmpty() ? List.of() : pair.settings();
        List<String> all = new ArrayList<>(List.of(settings));
        all.add(pair.isMixed() ? pair.listeners(port(address), port(lastAddress)) : "rbmq.port=" + port(address));
        return start(pair, pairSettings, all.toArray(String[]::new));
    }

    @Override
    public TransportPair pair() {
        return pair;
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public String subscribersAddress() {
        return lastAddress;
    }

    @Override
    public List<String> clientArguments() {
        return clientArguments;
    }

    String adminAddress() {
        return adminAddress;
    }

    RbmqProcess process() {
        return process;
    }

    @Override
    public void close() {
        process.close();
    }

    /** Returns the port after the last separator. */
    private static String port(String text) {
        return text.replaceAll(".*[=:]", "");
    }
}
