package io.rocketbufs.rbmq.cli;

import io.rocketbufs.rbmq.BrokerSettings;
import io.rocketbufs.rbmq.broker.Broker;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The ports that a broker listens at, by name: {@code rbmq} is the first listener, {@code admin} the admin interface,
 * and further listeners are called by their transport, with a number where that is taken.
 *
 * @param byName in the order of the ready line
 */
record Ports(Map<String, Integer> byName) {
    static final String READY = "ready ";

    private static final String ADMIN = "admin";

    static Ports of(Broker broker, BrokerSettings settings) {
        Map<String, Integer> byName = new LinkedHashMap<>();
        List<InetSocketAddress> addresses = broker.addresses();
        byName.put("rbmq", addresses.get(0).getPort());
        if (broker.adminAddress() != null) {
            byName.put(ADMIN, broker.adminAddress().getPort());
        }
        for (int i = 1; i < addresses.size(); i++) {
            String transport = settings.listeners().get(i).transport();
            byName.put(unused(transport, byName), addresses.get(i).getPort());
        }
        return new Ports(byName);
    }

    /** Reads a ready line. */
    static Ports parse(String line) {
        Map<String, Integer> byName = new LinkedHashMap<>();
        for (String port : line.substring(READY.length()).split(" ")) {
            int equals = port.indexOf('=');
            byName.put(port.substring(0, equals), Integer.valueOf(port.substring(equals + 1)));
        }
        return new Ports(byName);
    }

    /** Those of the listeners, in the order of the settings. */
    List<Integer> listeners() {
        return byName.entrySet().stream()
                .filter(entry -> !entry.getKey().equals(ADMIN))
                .map(Map.Entry::getValue)
                .toList();
    }

    String readyLine() {
        return READY + lines(" ");
    }

    /** Readers see all of it or nothing. */
    void writeTo(Path file) {
        Path whole = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.writeString(whole, lines("\n") + "\n");
            Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw CommandFailure.failed("--ports-file " + file + ": cannot be written: " + e);
        }
    }

    private String lines(String separator) {
        return byName.entrySet().stream().map(Object::toString).collect(Collectors.joining(separator));
    }

    private static String unused(String name, Map<String, Integer> taken) {
        String candidate = name;
        for (int i = 2; taken.containsKey(candidate); i++) {
            candidate = name + "-" + i;
        }
        return candidate;
    }
}
