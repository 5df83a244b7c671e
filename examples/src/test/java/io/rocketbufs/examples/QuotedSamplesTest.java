package io.rocketbufs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that every code sample in the documents is, apart from indentation, part of the program or test named in the
 * line before the sample, and that documented dependencies are those of the example application.
 */
final class QuotedSamplesTest {
    private static final Path ROOT = Path.of("..");
    private static final Path PROGRAMS = Path.of("src/main/java/io/rocketbufs/examples");
    private static final Path TESTS = Path.of("src/test/java/io/rocketbufs/examples");
    /** The examples do not use rocketlog, so a separate test contains its samples. */
    private static final Path TESTS_OF_ROCKETLOG = ROOT.resolve("rocketlog/src/test/java/io/rocketbufs/rocketlog");

    private static final Pattern SAMPLE = Pattern.compile("(?ms)^<!-- ([A-Za-z]+)\\.java -->\n```java\n(.*?)^```$");
    private static final Pattern DEPENDENCY = Pattern.compile("(?s)<dependency>.*?</dependency>");
    private static final Pattern VERSION = Pattern.compile(
            "<groupId>io\\.rocketbufs</groupId>\\s*<artifactId>[^<]*</artifactId>\\s*<version>([^<]*)<");

    @ParameterizedTest
    @MethodSource("documentsWithSamples")
    void shouldFindEachSampleInItsSource(Path path) throws IOException {
        String document = Files.readString(path);
        List<String> names = new ArrayList<>();
        Matcher samples = SAMPLE.matcher(document);
        while (samples.find()) {
            names.add(samples.group(1));
            assertThat(unindented(source(samples.group(1)))).contains(unindented(samples.group(2)));
        }
        assertThat(names).isNotEmpty().hasSize(document.split("```java\n", -1).length - 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/client-guide.md"})
    void shouldFindEachDependencyInTheExampleApplication(String document) {
        String application = read("examples/application/pom.xml")
                .replace("${rocketbufs.version}", versions("pom.xml").get(0));
        assertThat(dependencies(read(document))).isNotEmpty().isSubsetOf(dependencies(application));
    }

    @Test
    void shouldStateTheVersionOfThisBuild() throws IOException {
        String version = versions("pom.xml").get(0);
        List<String> documented = Stream.of("README.md", "docs/client-guide.md", "docs/getting-started.md")
                .flatMap(name -> versions(name).stream())
                .toList();
        assertThat(documented).isNotEmpty().containsOnly(version);
    }

    private static List<Path> documentsWithSamples() throws IOException {
        try (Stream<Path> documents = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(Stream.of(ROOT.resolve("README.md")), documents)
                    .filter(path -> path.toString().endsWith(".md") && hasSample(path))
                    .sorted()
                    .toList();
        }
    }

    private static boolean hasSample(Path path) {
        try {
            return Files.readString(path).contains("```java\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> dependencies(String document) {
        return DEPENDENCY
                .matcher(document)
                .results()
                .map(found -> found.group().replaceAll("(?s)<!--.*?-->|\\s", ""))
                .toList();
    }

    private static List<String> versions(String name) {
        return VERSION.matcher(read(name))
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private static String read(String name) {
        try {
            return Files.readString(ROOT.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String source(String name) throws IOException {
        return Files.readString(Stream.of(PROGRAMS, TESTS, TESTS_OF_ROCKETLOG)
                .map(folder -> folder.resolve(name + ".java"))
                .filter(Files::exists)
                .findFirst()
                .orElseThrow(() -> new IOException("there is no " + name + ".java")));
    }

    private static String unindented(String code) {
        return code.replaceAll("(?m)^ +", "");
    }
}
