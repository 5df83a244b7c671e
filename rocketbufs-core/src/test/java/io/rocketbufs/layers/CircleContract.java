package io.rocketbufs.layers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * The limits for dependency cycles between the classes and packages of a module. Every module has a subclass, which
 * checks that module's compiled classes. A few classes that depend on each other are one idea in several files. A
 * larger cycle can be read, tested and changed only as a whole.
 */
@Tag("once")
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // reads the classes once
public abstract class CircleContract {
    /** Size of the largest allowed cycle of classes. */
    private static final int MOST = 4;

    private final Map<String, Set<String>> classes;

    /** Checks the module's own classes. */
    protected CircleContract() {
        this(Path.of("target", "classes"));
    }

    CircleContract(Path folder) {
        classes = Circles.classes(folder);
    }

    @Test
    void shouldHaveNoLargeCircleOfClasses() {
        List<Set<String>> tooLarge = Circles.of(classes).stream()
                .filter(circle -> circle.size() > MOST)
                .toList();
        assertThat(tooLarge).as("circles of more than %d classes", MOST).isEmpty();
    }

    @Test
    void shouldHaveNoCircleOfPackages() {
        assertThat(Circles.of(Circles.packages(classes)))
                .as("circles of packages")
                .isEmpty();
    }
}
