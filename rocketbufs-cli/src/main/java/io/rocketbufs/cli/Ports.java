package io.rocketbufs.cli;

import io.rocketbufs.ListenerSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The ports on which a program listens, by name. The program prints them on one line when it is ready: {@code ready
 * NAME=PORT NAME=PORT}.
 *
 * @param byName the ports by name, in the order of the ready line
 */
public record Ports(Map<String, Integer> byName) {
    /** The name of the admin interface's port. */
    public static final String ADMIN = "admin";

    /** The beginning of a ready line. */
    public static final String READY = "ready ";

    /** Creates ports from a copy of the map. */
    public Ports {
        byName = Collections.unmodifiableMap(new LinkedHashMap<>(byName));
    }

    /** Returns ports with one entry. */
    public static Ports of(String name, int port) {
        return new Ports(Map.of(name, port));
    }

    /**
     * Returns the ports of a broker. Listeners after the first are named after their transport. Optional listeners,
     * which the configuration does not name, are omitted because clients discover them automatically.
     *
     * @param name name of the first listener's port
     * @param listeners the opened listeners
     * @param addresses the addresses of the listeners, in the same order
     * @param admin address of the admin interface; null if there is none
     */
    public static Ports ofBroker(
            String name, List<ListenerSettings> listeners, List<InetSocketAddress> addresses, InetSocketAddress admin) {
        Ports ports = of(name, addresses.get(0).getPort());
        if (admin != null) {
            ports = ports.and(ADMIN, admin.getPort());
        }
        for (int i = 1; i < addresses.size(); i++) {
            ListenerSettings listener = listeners.get(i);
            if (!listener.isOptional()) {
                ports = ports.and(listener.transport(), addresses.get(i).getPort());
            }
        }
        return ports;
    }

    /**
     * Returns these ports and an additional port. If the name is already used, a number is appended: {@code NAME-2}.
     */
    public Ports and(String name, int port) {
        Map<String, Integer> all = new LinkedHashMap<>(byName);
        String unused = name;
        for (int i = 2; all.containsKey(unused); i++) {
            unused = name + "-" + i;
        }
        all.put(unused, port);
        return new Ports(all);
    }

    /** Parses a ready line. */
    public static Ports parse(String readyLine) {
        Map<String, Integer> byName = new LinkedHashMap<>();
        for (String port : readyLine.substring(READY.length()).split(" ")) {
            int equals = port.indexOf('=');
            byName.put(port.substring(0, equals), Integer.valueOf(port.substring(equals + 1)));
        }
        return new Ports(byName);
    }

    /** Returns the line to print when the program is ready. */
    public String readyLine() {
        return READY + lines(" ");
    }

    /** Writes the ports to a file atomically, one {@code NAME=PORT} per line. */
    public void writeTo(Path file) throws IOException {
        Path whole = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(whole, lines("\n") + "\n");
        Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private String lines(String separator) {
        return byName.entrySet().stream().map(Object::toString).collect(Collectors.joining(separator));
    }
}
