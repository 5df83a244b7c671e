package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A parser of the Prometheus text format 0.0.4 that accepts only input that every scraper accepts. Each metric must
 * have one TYPE line directly followed by all its samples, no series may occur twice, and the names of counters must
 * show their type.
 */
final class StrictMetrics {
    private static final Pattern TYPE = Pattern.compile("# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|summary)");
    private static final Pattern HELP = Pattern.compile("# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) [^\\n]*");
    private static final Pattern SAMPLE = Pattern.compile(
            "([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)\\})? (-?[0-9.]+(?:E-?[0-9]+)?|NaN|\\+Inf)", Pattern.DOTALL);
    private static final Pattern LABEL =
            Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\\\n]|\\\\[\\\\n\"])*)\"(,|$)");

    private final Map<String, Double> values = new LinkedHashMap<>();
    private final Set<String> ended = new HashSet<>();
    private String current = "";
    private String kind = "";

    private StrictMetrics() {}

    /** Returns the values by name and labels, such as {@code name{label=value}}. The labels are sorted by name. */
    static Map<String, Double> parse(String text) {
        assertThat(text).endsWith("\n");
        StrictMetrics metrics = new StrictMetrics();
        for (String line : text.substring(0, text.length() - 1).split("\n", -1)) {
            metrics.read(line);
        }
        return metrics.values;
    }

    private void read(String line) {
        if (line.startsWith("# HELP ")) {
            Matcher help = HELP.matcher(line);
            assertThat(help.matches()).as(line).isTrue();
            begin(help.group(1));
        } else if (line.startsWith("#")) {
            Matcher type = TYPE.matcher(line);
            assertThat(type.matches()).as(line).isTrue();
            begin(type.group(1));
            assertThat(kind).as("second type of %s", current).isEmpty();
            kind = type.group(2);
            assertThat(current.endsWith("_total")).as(line).isEqualTo(kind.equals("counter"));
        } else {
            sample(line);
        }
    }

    private void begin(String name) {
        if (!name.equals(current)) {
            ended.add(current);
            assertThat(ended)
                    .as("the samples of a metric must follow one another")
                    .doesNotContain(name);
            current = name;
            kind = "";
        }
    }

    private static String unescaped(String value) {
        return Pattern.compile("\\\\(.)")
                .matcher(value)
                .replaceAll(match -> Matcher.quoteReplacement(match.group(1).equals("n") ? "\n" : match.group(1)));
    }

    private void sample(String line) {
        Matcher sample = SAMPLE.matcher(line);
        assertThat(sample.matches()).as(line).isTrue();
        assertThat(kind).as("a type before %s", line).isNotEmpty();
        String suffix = kind.equals("summary") ? "(_sum|_count)?" : "";
        assertThat(sample.group(1)).matches(Pattern.quote(current) + suffix);
        Map<String, String> labels = new TreeMap<>();
        String rest = sample.group(2) == null ? "" : sample.group(2);
        Matcher label = LABEL.matcher(rest);
        int end = 0;
        while (label.find()) {
            assertThat(label.start()).as(line).isEqualTo(end);
            end = label.end();
            assertThat(labels.put(label.group(1), unescaped(label.group(2))))
                    .as(line)
                    .isNull();
        }
        assertThat(end).as(line).isEqualTo(rest.length());
        String series = sample.group(1) + (labels.isEmpty() ? "" : labels.toString());
        assertThat(values.put(series, Double.valueOf(sample.group(3).replace("+Inf", "Infinity"))))
                .as("second value of %s", series)
                .isNull();
    }
}
