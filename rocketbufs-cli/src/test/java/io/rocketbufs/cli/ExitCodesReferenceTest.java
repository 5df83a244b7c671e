package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests that the exit code reference page lists the commands' codes, and the JVM's codes after Ctrl-C and SIGTERM. */
final class ExitCodesReferenceTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| ([0-9]+) \\| ([^|]*) \\|");

    @Test
    void shouldListEveryExitCode() throws Exception {
        Set<Integer> codes = new TreeSet<>(Set.of(130, 143));
        for (Field code : ExitCode.class.getFields()) {
            codes.add(code.getInt(null));
        }
        Map<Integer, String> listed = new TreeMap<>();
        Matcher rows = ROW.matcher(Files.readString(Path.of("../docs/reference/exit-codes.md")));
        while (rows.find()) {
            listed.put(Integer.valueOf(rows.group(1)), rows.group(2));
        }
        assertThat(listed).containsOnlyKeys(codes).isEqualTo(ExitCode.MEANINGS);
    }
}
