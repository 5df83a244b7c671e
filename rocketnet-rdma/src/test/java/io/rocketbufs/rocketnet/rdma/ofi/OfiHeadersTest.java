package io.rocketbufs.rocketnet.rdma.ofi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.kenai.jffi.Platform;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that compare all constants taken from libfabric's and the C library's headers with the installed headers. If
 * the headers are not installed, the tests use a recorded table.
 */
@Tag("once")
final class OfiHeadersTest {
    private static final String TABLE = "headers.txt";
    private static final String LENGTH = "SIZE";
    private static final String MEMBER = "_MEMBER";

    @TempDir
    Path directory;

    /** Returns a map from the name of each constant to the C expression that must have the same value. */
    private static Map<String, String> expressions() {
        Map<String, String> expressions = new TreeMap<>();
        for (Class<?> structure : OfiLayout.class.getDeclaredClasses()) {
            for (Field field : structure.getDeclaredFields()) {
                if (isNumber(field)) {
                    expressions.put(nameOf(field), layout(cName(structure), field.getName()));
                }
            }
        }
        for (Field field : OfiConstants.class.getDeclaredFields()) {
            if (isNumber(field)) {
                expressions.put(nameOf(field), field.getName());
            }
        }
        for (Field field : Libc.class.getDeclaredFields()) {
            if (isNumber(field)) {
                expressions.put(nameOf(field), field.getName());
            }
        }
        expressions.put("EpollEvents.DATA", "offsetof(struct epoll_event, data)");
        expressions.put("EpollEvents.LENGTH", "sizeof(struct epoll_event)");
        return expressions;
    }

    private static String layout(String structure, String constant) {
        return constant.equals(LENGTH)
                ? "sizeof(struct " + structure + ")"
                : "offsetof(struct " + structure + ", "
                        + constant.replace(MEMBER, "").toLowerCase(Locale.ROOT) + ")";
    }

    /** Returns the C name of a structure, such as {@code fi_msg_rma} for FiMsgRma. */
    private static String cName(Class<?> structure) {
        return structure.getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
    }

    private static boolean isNumber(Field field) {
        return Modifier.isStatic(field.getModifiers())
                && (field.getType() == int.class || field.getType() == long.class);
    }

    private static String nameOf(Field field) {
        return field.getDeclaringClass().getSimpleName() + "." + field.getName();
    }

    private static Map<String, Long> ours() throws ReflectiveOperationException {
        Map<String, Long> values = new TreeMap<>();
        for (String name : expressions().keySet()) {
            String[] parts = name.split("\\.");
            Field field = owner(parts[0]).getDeclaredField(parts[1]);
            field.setAccessible(true);
            values.put(name, field.getType() == int.class ? (long) field.getInt(null) : field.getLong(null));
        }
        return values;
    }

    private static Class<?> owner(String simpleName) throws ClassNotFoundException {
        String own = OfiHeadersTest.class.getPackageName() + ".";
        try {
            return Class.forName(own + simpleName);
        } catch (ClassNotFoundException e) {
            return Class.forName(own + "OfiLayout$" + simpleName);
        }
    }

    private static Map<String, Long> recorded() throws IOException {
        Map<String, Long> values = new TreeMap<>();
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(OfiHeadersTest.class.getResourceAsStream(TABLE), StandardCharsets.UTF_8))) {
            reader.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
                String[] parts = line.split(" ");
                values.put(parts[0], Long.parseLong(parts[1]));
            });
        }
        return values;
    }

    private Map<String, Long> installed() throws IOException {
        String cause = CHeaders.unavailabilityCause();
        assumeTrue(cause == null, cause);
        return CHeaders.values(expressions(), directory);
    }

    @Test
    void shouldMatchTheInstalledHeaders() throws Exception {
        assertThat(ours()).isEqualTo(installed());
    }

    @Test
    void shouldMatchTheRecordedValues() throws Exception {
        assumeTrue(
                Platform.getPlatform().getCPU() == Platform.CPU.X86_64, "the table was recorded on another processor");
        assertThat(ours()).isEqualTo(recorded());
    }

    @Test
    void shouldHaveRecordedTheValuesOfTheInstalledHeaders() throws Exception {
        Map<String, Long> installed = installed();
        assertThat(recorded())
                .as(
                        "%s should read\n%s",
                        TABLE,
                        installed.entrySet().stream()
                                .map(entry -> entry.getKey() + " " + entry.getValue())
                                .collect(Collectors.joining("\n")))
                .isEqualTo(installed);
    }
}
