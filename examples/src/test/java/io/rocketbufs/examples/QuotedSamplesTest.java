package io.rocketbufs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Every sample in docs/building-your-own.md is a part of the program or test named in the line before it, apart from
 * indentation.
 */
final class QuotedSamplesTest {
    private static final Path PROGRAMS = Path.of("src/main/java/io/rocketbufs/examples");
    private static final Path TESTS = Path.of("src/test/java/io/rocketbufs/examples");
    private static final Path DOCUMENT = Path.of("../docs/building-your-own.md");
    private static final Pattern SAMPLE = Pattern.compile("(?ms)^<!-- ([A-Za-z]+)\\.java -->\n```java\n(.*?)^```$");

    @Test
    void shouldFindEachSampleInItsSource() throws IOException {
        String document = Files.readString(DOCUMENT);
        List<String> names = new ArrayList<>();
        Matcher samples = SAMPLE.matcher(document);
        while (samples.find()) {
            names.add(samples.group(1));
            assertThat(unindented(source(samples.group(1)))).contains(unindented(samples.group(2)));
        }
        assertThat(names).isNotEmpty().hasSize(document.split("```java\n", -1).length - 1);
    }

    private static String source(String name) throws IOException {
        Path program = PROGRAMS.resolve(name + ".java");
        return Files.readString(Files.exists(program) ? program : TESTS.resolve(name + ".java"));
    }

    private static String unindented(String code) {
        return code.replaceAll("(?m)^ +", "");
    }
}
