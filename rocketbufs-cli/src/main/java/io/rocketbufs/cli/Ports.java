package io.rocketbufs.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The ports on which a program listens, by name. The program prints them on one line when it is ready: {@code ready
 * NAME=PORT NAME=PORT}.
 *
 * @param byName the ports by name, in the order of the ready line
 */
public record Ports(Map<String, Integer> byName) {
    /** The beginning of a ready line. */
    public static final String READY = "ready ";

    /** Copies the map. */
    public Ports {
        byName = Collections.unmodifiableMap(new LinkedHashMap<>(byName));
    }

    /** Returns ports with one entry. */
    public static Ports of(String name, int port) {
        return new Ports(Map.of(name, port));
    }

    /** Returns these ports and one more. If the name is taken, a number is appended: {@code NAME-2}. */
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
