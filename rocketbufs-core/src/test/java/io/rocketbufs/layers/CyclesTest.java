package io.rocketbufs.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
final class CyclesTest {
    private static final String A = "package a; public class A { static class Nested { C c; } }";
    private static final String B = "package a; public class B { A a; }";
    private static final String C = "package a; public class C { A.Nested nested; }";

    @TempDir
    private Path folder;

    private Path compile(String... sources) throws IOException {
        Path classes = folder.resolve("classes");
        String[] arguments = new String[sources.length + 2];
        arguments[0] = "-d";
        arguments[1] = classes.toString();
        for (int i = 0; i < sources.length; i++) {
            String name = sources[i].replaceFirst(".*? (class|interface) (\\w+) .*", "$2");
            arguments[i + 2] = Files.writeString(folder.resolve(name + ".java"), sources[i])
                    .toString();
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments))
                .isZero();
        return classes;
    }

    private static CycleContract contract(Path classes) {
        return new CycleContract(classes) {};
    }

    @Test
    void shouldFindNodesThatReachEachOther() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 1_000; i++) {
            Map<String, Set<String>> graph = graph(random);
            assertThat(Cycles.of(graph))
                    .as("seed %d, graph %s", seed, graph)
                    .containsExactlyInAnyOrderElementsOf(mutuallyReachable(graph))
                    .isSortedAccordingTo(Comparator.comparingInt(cycle -> -cycle.size()));
        }
    }

    private static Map<String, Set<String>> graph(Random random) {
        Map<String, Set<String>> graph = new TreeMap<>();
        int nodes = 1 + random.nextInt(10);
        for (int node = 0; node < nodes; node++) {
            graph.put("" + node, new TreeSet<>());
        }
        for (int edge = random.nextInt(2 * nodes); edge > 0; edge--) {
            graph.get("" + random.nextInt(nodes)).add("" + random.nextInt(nodes));
        }
        return graph;
    }

    private static Set<Set<String>> mutuallyReachable(Map<String, Set<String>> graph) {
        Set<Set<String>> cycles = new HashSet<>();
        for (String node : graph.keySet()) {
            Set<String> cycle = new TreeSet<>(reachable(graph, node));
            cycle.removeIf(other -> !reachable(graph, other).contains(node));
            if (cycle.size() > 1) {
                cycles.add(cycle);
            }
        }
        return cycles;
    }

    private static Set<String> reachable(Map<String, Set<String>> graph, String node) {
        Set<String> reached = new HashSet<>(Set.of(node));
        Deque<String> next = new ArrayDeque<>(reached);
        while (!next.isEmpty()) {
            graph.get(next.remove()).stream().filter(reached::add).forEach(next::add);
        }
        return reached;
    }

    @Test
    void shouldCountANestedClassAsTheClassOfItsFile() throws IOException {
        Map<String, Set<String>> classes = Cycles.classes(compile(A, B, C));
        assertThat(classes).containsOnlyKeys("a.A", "a.B", "a.C");
        assertThat(Cycles.of(classes)).isEqualTo(List.of(Set.of("a.A", "a.C")));
    }

    @Test
    void shouldFindACycleOfPackagesWhoseClassesFormNone() throws IOException {
        Path classes = compile(
                "package a; public class A { b.B next; }",
                "package b; public class B { }",
                "package b; public class C { a.A next; }");
        assertThat(Cycles.of(Cycles.classes(classes))).isEmpty();
        assertThat(Cycles.of(Cycles.packages(Cycles.classes(classes)))).isEqualTo(List.of(Set.of("a", "b")));
        assertThatThrownBy(contract(classes)::shouldHaveNoCycleOfPackages)
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll("cycles of packages", "\"a\", \"b\"");
    }

    @Test
    void shouldRefuseACycleOfMoreThanFourClasses() throws IOException {
        Path classes = compile(
                "package a; public class A { B next; }",
                "package a; public class B { C next; }",
                "package a; public class C { D next; }",
                "package a; public class D { E next; }",
                "package a; public class E { A next; }");
        assertThatThrownBy(contract(classes)::shouldHaveNoLargeCycleOfClasses)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("a.E");
    }

    @Test
    void shouldAllowACycleOfFourClasses() throws IOException {
        Path classes = compile(
                "package a; public class A { B next; }",
                "package a; public class B { C next; }",
                "package a; public class C { D next; }",
                "package a; public class D { A next; }");
        assertThatCode(contract(classes)::shouldHaveNoLargeCycleOfClasses).doesNotThrowAnyException();
    }

    @Test
    void shouldRefuseAFolderWithoutClasses() {
        assertThatThrownBy(() -> Cycles.classes(folder.resolve("missing")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no compiled classes: folder=");
        assertThatThrownBy(() -> Cycles.classes(folder))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no compiled classes: folder=");
    }
}
