package io.rocketbufs.reference;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page under docs/reference that a test compares with the code. The test can also rewrite the page's generated parts.
 */
public final class ReferencePage {
    /** The system property that, if true, makes tests rewrite the generated parts instead of comparing them. */
    private static final String WRITE = "reference.write";

    private static final String REMEDY = "mvn -q test -Dtest='*ReferenceTest' -D" + WRITE + "=true";
    private static final Pattern METRIC = Pattern.compile("`((?:rbmq|rocketbufs|livestream|rocketlog)_[a-z_]+)`");
    private static final Pattern SCRAPED = Pattern.compile("(?m)^# TYPE (\\S+) ");

    private final Path file;
    private final String text;

    private ReferencePage(Path file, String text) {
        this.file = file;
        this.text = text;
    }

    /** Reads a page. Assumes that a module's tests run in the module's folder. */
    public static ReferencePage read(String name) throws IOException {
        Path file = Path.of("..", "docs", "reference", name);
        return new ReferencePage(file, Files.readString(file));
    }

    /**
     * Compares a generated part of the page with the expected text, or rewrites the part.
     *
     * @param part name of the part in the comments before and after it
     */
    public void check(String part, String generated) throws IOException {
        String begin = "<!-- generated: " + part + " -->\n";
        int from = text.indexOf(begin) + begin.length();
        int to = text.indexOf("<!-- end: " + part + " -->\n");
        assertThat(text).contains(begin);
        assertThat(to).as("position of the end of %s", part).isGreaterThanOrEqualTo(from);
        String wanted = text.substring(0, from) + "\n" + generated.strip() + "\n\n" + text.substring(to);
        if (Boolean.getBoolean(WRITE)) {
            Files.writeString(file, wanted);
        } else {
            assertThat(text)
                    .as("%s is stale; regenerate it with: %s", file.normalize(), REMEDY)
                    .isEqualTo(wanted);
        }
    }

    /**
     * Compares the names of the metrics on the page with the names in Prometheus' text format.
     *
     * @param prefixes prefixes of the names to compare
     */
    public void checkMetrics(Set<String> prefixes, String... scrapes) {
        assertThat(named(METRIC, text, prefixes))
                .as("names of metrics in %s", file.normalize())
                .isEqualTo(named(SCRAPED, String.join("\n", scrapes), prefixes));
    }

    private static Set<String> named(Pattern pattern, String text, Set<String> prefixes) {
        Set<String> names = new TreeSet<>();
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            String name = matcher.group(1);
            if (prefixes.contains(name.substring(0, name.indexOf('_')))) {
                names.add(name);
            }
        }
        return names;
    }
}
