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
 * The ports that a program listens at, by name. It prints them when it is ready, on one line: {@code ready NAME=PORT
 * NAME=PORT}.
 *
 * @param byName in the order of that line
 */
public record Ports(Map<String, Integer> byName) {
    /** What a ready line begins with. */
    public static final String READY = "ready ";

    /** Keeps its own copy. */
    public Ports {
        byName = Collections.unmodifiableMap(new LinkedHashMap<>(byName));
    }

    /** The first port. */
    public static Ports of(String name, int port) {
        return new Ports(Map.of(name, port));
    }

    /** One more; where the name is taken, it gets a number: {@code NAME-2}. */
    public Ports and(String name, int port) {
        Map<String, Integer> all = new LinkedHashMap<>(byName);
        String unused = name;
        for (int i = 2; all.containsKey(unused); i++) {
            unused = name + "-" + i;
        }
        all.put(unused, port);
        return new Ports(all);
    }

    /** Reads a ready line. */
    public static Ports parse(String readyLine) {
        Map<String, Integer> byName = new LinkedHashMap<>();
        for (String port : readyLine.substring(READY.length()).split(" ")) {
            int equals = port.indexOf('=');
            byName.put(port.substring(0, equals), Integer.valueOf(port.substring(equals + 1)));
        }
        return new Ports(byName);
    }

    /** The line to print when the program is ready. */
    public String readyLine() {
        return READY + lines(" ");
    }

    /** Writes them to a file, one {@code NAME=PORT} on each line. Readers see all of it or nothing. */
    public void writeTo(Path file) throws IOException {
        Path whole = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(whole, lines("\n") + "\n");
        Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private String lines(String separator) {
        return byName.entrySet().stream().map(Object::toString).collect(Collectors.joining(separator));
    }
}
