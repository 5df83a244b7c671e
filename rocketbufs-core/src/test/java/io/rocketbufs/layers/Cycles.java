package io.rocketbufs.layers;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The cycles in a graph: its strongly connected components of more than one node, in which each node can reach every
 * other node. The graphs consist of a module's classes and packages. The JDK's {@code jdeps} reads them from the
 * module's compiled classes; a nested class counts as the class of its file.
 *
 * <p>Uses only the JDK, so {@code java Cycles.java FOLDER...} prints the report without a class path.
 */
public final class Cycles {
    private final Map<String, Set<String>> edges;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final Map<String, Integer> lowest = new HashMap<>();
    private final Deque<String> open = new ArrayDeque<>();
    private final List<Set<String>> found = new ArrayList<>();

    private Cycles(Map<String, Set<String>> edges) {
        this.edges = edges;
    }

    /**
     * Prints the number of classes and the cycles for each directory of compiled classes.
     *
     * @param folders directories such as {@code rocketnet-tcp/target/classes}
     */
    public static void main(String[] folders) {
        for (String folder : folders) {
            System.out.print(report(Path.of(folder)));
        }
    }

    private static String report(Path folder) {
        Map<String, Set<String>> classes = classes(folder);
        StringBuilder report = new StringBuilder();
        report.append(folder).append(": ").append(classes.size()).append(" classes\n");
        for (Set<String> cycle : of(classes)) {
            Map<String, List<String>> names = cycle.stream()
                    .collect(Collectors.groupingBy(
                            Cycles::packageOf,
                            TreeMap::new,
                            Collectors.mapping(Cycles::simpleName, Collectors.toList())));
            report.append(String.format("  %3d classes ", cycle.size()));
            names.forEach((name, members) ->
                    report.append(' ').append(name).append(": ").append(String.join(", ", members)));
            report.append('\n');
        }
        for (Set<String> cycle : of(packages(classes))) {
            report.append(String.format("  %3d packages %s%n", cycle.size(), String.join(", ", cycle)));
        }
        return report.toString();
    }

    /** Returns the cycles of a graph, largest first, with the nodes of each cycle in order. */
    static List<Set<String>> of(Map<String, Set<String>> edges) {
        Cycles cycles = new Cycles(edges);
        for (String node : new TreeSet<>(edges.keySet())) {
            cycles.visit(node);
        }
        cycles.found.sort(Comparator.comparingInt(cycle -> -cycle.size()));
        return cycles.found;
    }

    /**
     * Visits a node, as in Tarjan's algorithm. A node that cannot reach an earlier open node completes its component.
     */
    private void visit(String node) {
        if (numbers.containsKey(node)) {
            return;
        }
        int number = numbers.size();
        numbers.put(node, number);
        lowest.put(node, number);
        open.push(node);
        for (String next : edges.getOrDefault(node, Set.of())) {
            visit(next);
            if (open.contains(next)) {
                lowest.merge(node, lowest.get(next), Math::min);
            }
        }
        if (lowest.get(node) == number) {
            close(node);
        }
    }

    private void close(String first) {
        Set<String> component = new TreeSet<>();
        String node;
        do {
            node = open.pop();
            component.add(node);
        } while (!node.equals(first));
        if (component.size() > 1) {
            found.add(component);
        }
    }

    /** Returns, for each class in the folder, the classes in the folder on which it depends. */
    static Map<String, Set<String>> classes(Path folder) {
        Map<String, Set<String>> classes = new TreeMap<>();
        List<String[]> dependences = dependences(folder);
        for (String[] dependence : dependences) {
            classes.putIfAbsent(outermost(dependence[0]), new TreeSet<>());
        }
        for (String[] dependence : dependences) {
            String from = outermost(dependence[0]);
            String to = outermost(dependence[1]);
            if (classes.containsKey(to) && !from.equals(to)) {
                classes.get(from).add(to);
            }
        }
        return classes;
    }

    /** Returns, for each package of the given classes, the packages on which it depends. */
    static Map<String, Set<String>> packages(Map<String, Set<String>> classes) {
        Map<String, Set<String>> packages = new TreeMap<>();
        classes.forEach((from, used) -> {
            Set<String> usedPackages = packages.computeIfAbsent(packageOf(from), name -> new TreeSet<>());
            used.stream()
                    .map(Cycles::packageOf)
                    .filter(name -> !name.equals(packageOf(from)))
                    .forEach(usedPackages::add);
        });
        return packages;
    }

    static String packageOf(String className) {
        return className.substring(0, Math.max(0, className.lastIndexOf('.')));
    }

    private static String simpleName(String className) {
        return className.substring(className.lastIndexOf('.') + 1);
    }

    private static String outermost(String className) {
        return className.replaceFirst("\\$.*", "");
    }

    /** Returns pairs of class names from the lines {@code a.B -> c.D archive} that jdeps prints. */
    private static List<String[]> dependences(Path folder) {
        if (!hasClasses(folder)) {
            throw new IllegalArgumentException("no compiled classes: folder=" + folder.toAbsolutePath());
        }
        ToolProvider jdeps = ToolProvider.findFirst("jdeps")
                .orElseThrow(() -> new IllegalStateException(
                        "no jdeps in " + System.getProperty("java.home") + ": it is part of a JDK, but not of a JRE"));
        StringWriter output = new StringWriter();
        PrintWriter printer = new PrintWriter(output);
        int code = jdeps.run(printer, printer, "-verbose", folder.toString());
        if (code != 0) {
            throw new IllegalStateException("jdeps failed: code=" + code + ", folder=" + folder + "\n" + output);
        }
        return output.toString()
                .lines()
                .filter(line -> line.startsWith(" ") && line.contains(" -> "))
                .map(line -> line.strip().split("\\s+(->\\s+)?"))
                .toList();
    }

    private static boolean hasClasses(Path folder) {
        if (!Files.isDirectory(folder)) {
            return false;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.anyMatch(file -> file.toString().endsWith(".class"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
