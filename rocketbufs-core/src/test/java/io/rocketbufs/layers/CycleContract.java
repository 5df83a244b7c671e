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
 * The limits on dependency cycles between the classes and packages of a module. Each module has a subclass that checks
 * the module's compiled classes. A small cycle is allowed, because a few classes that depend on each other form one
 * unit in several files. The classes of a larger cycle can be read, tested and changed only together.
 */
@Tag("once")
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // reads the classes once
public abstract class CycleContract {
    /** Maximum number of classes in an allowed cycle. */
    private static final int MOST = 4;

    private final Map<String, Set<String>> classes;

    /** Checks the classes of the subclass's module. */
    protected CycleContract() {
        this(Path.of("target", "classes"));
    }

    CycleContract(Path folder) {
        classes = Cycles.classes(folder);
    }

    @Test
    void shouldHaveNoLargeCycleOfClasses() {
        List<Set<String>> tooLarge =
                Cycles.of(classes).stream().filter(cycle -> cycle.size() > MOST).toList();
        assertThat(tooLarge).as("cycles of more than %d classes", MOST).isEmpty();
    }

    @Test
    void shouldHaveNoCycleOfPackages() {
        assertThat(Cycles.of(Cycles.packages(classes))).as("cycles of packages").isEmpty();
    }
}
