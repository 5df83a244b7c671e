package io.rocketbufs.layers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Which circles of classes and packages a module may have; every module subclasses it, and its own compiled classes are
 * checked. A few classes that need each other are one idea in several files. A larger circle can only be read, tested
 * and changed as a whole.
 *
 * <p>A module that has larger circles passes the present size for each package. Such a limit can only be lowered: the
 * contract fails as well when the circle has become smaller than its limit.
 */
@Tag("once")
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // reads the classes once
public abstract class CircleContract {
    /** Classes of the largest circle that needs no recorded limit. */
    private static final int FREE = 4;

    private final Map<String, Integer> recorded;
    private final Map<String, Set<String>> classes;

    /** Allows circles of up to four classes. */
    protected CircleContract() {
        this(Map.of());
    }

    /**
     * Allows larger circles in some packages.
     *
     * @param recorded the number of classes in the largest circle of each package where it exceeds four
     */
    protected CircleContract(Map<String, Integer> recorded) {
        this(Path.of("target", "classes"), recorded);
    }

    CircleContract(Path folder, Map<String, Integer> recorded) {
        this.recorded = recorded;
        classes = Circles.classes(folder);
    }

    @Test
    void shouldHaveNoLargeCircleOfClasses() {
        List<Set<String>> tooLarge = Circles.of(classes).stream()
                .filter(circle -> packages(circle).stream().anyMatch(name -> circle.size() > limit(name)))
                .toList();
        assertThat(tooLarge)
                .as("circles of more than %d classes or the limit of their package %s", FREE, recorded)
                .isEmpty();
    }

    @Test
    void shouldHaveNoCircleOfPackages() {
        assertThat(Circles.of(Circles.packages(classes)))
                .as("circles of packages")
                .isEmpty();
    }

    @Test
    void shouldHaveTheLowestLimits() {
        Map<String, Integer> largest = new HashMap<>();
        for (Set<String> circle : Circles.of(classes)) {
            packages(circle).forEach(name -> largest.merge(name, circle.size(), Math::max));
        }
        recorded.forEach((name, limit) -> {
            int size = largest.getOrDefault(name, 0);
            assertThat(limit)
                    .as(
                            "limit of %s, whose largest circle has %d classes: %s",
                            name, size, size > FREE ? "lower it to " + size : "remove it")
                    .isGreaterThan(FREE)
                    .isLessThanOrEqualTo(size);
        });
    }

    private int limit(String packageName) {
        return Math.max(FREE, recorded.getOrDefault(packageName, 0));
    }

    private static Set<String> packages(Set<String> circle) {
        return circle.stream().map(Circles::packageOf).collect(Collectors.toSet());
    }
}
