package io.rocketbufs.rbmq.system;

import java.util.ArrayList;
import java.util.List;

/** A broker as a process of its own, on ports of its own. */
final class BrokerProcess implements AutoCloseable {
    private final RbmqProcess process;
    private final String address;
    private final String adminAddress;

    private BrokerProcess(RbmqProcess process) {
        this.process = process;
        process.awaitOut("ready ");
        this.address = "127.0.0.1:" + port("rbmq");
        this.adminAddress = "127.0.0.1:" + port("admin");
    }

    /** Starts one with some settings, and waits until it is ready. */
    static BrokerProcess start(String... settings) {
        List<String> arguments = new ArrayList<>(List.of("broker"));
        arguments.addAll(List.of("--set", "rbmq.port=0", "--set", "rbmq.admin.port=0"));
        for (String setting : settings) {
            arguments.addAll(List.of("--set", setting));
        }
        return new BrokerProcess(RbmqProcess.start(arguments.toArray(String[]::new)));
    }

    String address() {
        return address;
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

    private String port(String name) {
        return process.outText().replaceAll("(?s).*ready .*?\\b" + name + "=([0-9]+).*", "$1");
    }
}
