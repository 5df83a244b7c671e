package io.rocketbufs.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the values that a file may contain, and of the messages for invalid values. */
class SettingsValuesTest {
    @TempDir
    Path folder;

    /** Returns a reader of the section {@code a} of a file with the given lines. */
    private SettingsReader file(String... lines) throws IOException {
        Path file = Files.writeString(folder.resolve("my.conf"), String.join("\n", lines));
        return new SettingsReader(ConfigFactory.parseFile(file.toFile()).resolve(), "a");
    }

    private static void assertWrong(ThrowingCallable call, String... parts) {
        assertThatThrownBy(call).isInstanceOf(SettingsException.class).hasMessageContainingAll(parts);
    }

    @ParameterizedTest
    @CsvSource({
        "0,0",
        "1,1",
        "65536,65536",
        "64k,65536",
        "64 KiB,65536",
        "64 kB,64000",
        "1 MiB,1048576",
        "2G,2147483648"
    })
    void shouldReadSizes(String written, long bytes) throws IOException {
        assertThat(file("a.b = " + written).bytes("b", 0, Long.MAX_VALUE)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({"500 ms,500", "2 s,2000", "7,7", "1m,60000", "1 h,3600000", "0.5 s,500", "1500 us,1"})
    void shouldReadDurations(String written, long millis) throws IOException {
        assertThat(file("a.b = " + written).millis("b", 0, Long.MAX_VALUE)).isEqualTo(millis);
        assertThat(file("a.b = 3 s").duration("b")).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void shouldReadNumbersFlagsAndTexts() throws IOException {
        SettingsReader reader = file("a { n = -3, yes = on, text = \"x y\", list = [{k = 1}, {k = 2}] }");
        assertThat(reader.integer("n", -3, 5)).isEqualTo(-3);
        assertThat(reader.bool("yes")).isTrue();
        assertThat(reader.text("text")).isEqualTo("x y");
        assertThat(reader.has("n")).isTrue();
        assertThat(reader.has("m")).isFalse();
        assertThat(reader.list("list"))
                .extracting(each -> each.integer("k", 0, 9))
                .containsExactly(1, 2);
    }

    @Test
    void shouldReportFileLineKeyAndRange() throws IOException {
        SettingsReader reader = file("a {", "  small = 1", "", "  big = 12", "}");
        assertWrong(() -> reader.integer("big", 0, 10), "my.conf: 4", "a.big", "12 is not in the range 0 to 10");
        assertWrong(() -> reader.integer("small", 2, 10), "my.conf: 2", "a.small", "1 is not in the range 2 to 10");
        assertWrong(() -> reader.bytes("big", 0, 10), "my.conf: 4", "12 bytes is not in the range 0 to 10");
        assertWrong(() -> reader.millis("big", 0, 10), "my.conf: 4", "12 ms is not in the range 0 to 10");
    }

    @Test
    void shouldAcceptTheBoundsOfTheRange() throws IOException {
        SettingsReader reader = file("a.b = 5");
        assertThat(reader.integer("b", 5, 5)).isEqualTo(5);
        assertThat(reader.bytes("b", 5, 5)).isEqualTo(5);
        assertThat(reader.millis("b", 5, 5)).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lots", "12 apples", "[1]", "{ c = 1 }", "true", "99999999999999999999 G", "-1 apples"})
    void shouldReportInvalidSizes(String written) throws IOException {
        SettingsReader reader = file("", "a.b = " + written);
        assertWrong(() -> reader.bytes("b", 0, Long.MAX_VALUE), "my.conf: 2", "a.b", "cannot be read");
    }

    @ParameterizedTest
    @ValueSource(strings = {"soon", "12 apples", "[1]", "{ c = 1 }", "true", "9999999999999999999999 d"})
    void shouldReportInvalidDurations(String written) throws IOException {
        SettingsReader reader = file("", "a.b = " + written);
        assertWrong(() -> reader.millis("b", 0, Long.MAX_VALUE), "my.conf: 2", "a.b", "cannot be read");
        assertWrong(() -> reader.duration("b"), "my.conf: 2", "a.b", "cannot be read");
    }

    @Test
    void shouldNotReadAnOverflowAsAShortDuration() throws IOException {
        SettingsReader reader = file("a.b = 99999999999 d");
        assertWrong(() -> reader.millis("b", 0, 1000), "my.conf: 1", "a.b");
    }

    @Test
    void shouldRefuseNegativeSizesAndDurations() throws IOException {
        SettingsReader reader = file("a { size = -1 k, time = -1 s }");
        assertWrong(() -> reader.bytes("size", 0, 10), "a.size");
        assertWrong(() -> reader.millis("time", 0, 10), "a.time", "-1000 ms is not in the range");
    }

    @ParameterizedTest
    @ValueSource(strings = {"one", "[1]", "{ c = 1 }", "true"})
    void shouldReportInvalidWholeNumbers(String written) throws IOException {
        SettingsReader reader = file("", "a.b = " + written);
        assertWrong(() -> reader.integer("b", 0, Integer.MAX_VALUE), "my.conf: 2", "a.b", "cannot be read");
    }

    @Test
    void shouldNotRoundOrWrapNumbers() throws IOException {
        SettingsReader reader = file("a.b = 1.5", "a.c = 99999999999");
        assertWrong(() -> reader.integer("b", 0, 9), "my.conf: 1", "a.b", "1.5 is not a whole number");
        assertWrong(() -> reader.integer("c", 0, 9), "my.conf: 2", "a.c", "99999999999 is not in the range 0 to 9");
    }

    @Test
    void shouldReportInvalidFlagsTextsAndLists() throws IOException {
        SettingsReader reader = file("a.b = 1", "a.c = [1]", "a.d = text");
        assertWrong(() -> reader.bool("b"), "my.conf: 1", "a.b", "\"1\" cannot be read");
        assertWrong(() -> reader.text("c"), "my.conf: 2", "a.c", "cannot be read");
        assertWrong(() -> reader.list("d"), "my.conf: 3", "a.d", "cannot be read");
    }

    @Test
    void shouldReportMissingKeys() throws IOException {
        SettingsReader reader = file("a.b = 1", "a.none = null");
        assertWrong(() -> reader.text("c"), "my.conf", "a.c", "is missing");
        assertWrong(() -> reader.text("none"), "my.conf", "a.none", "is missing");
    }

    @Test
    void shouldReportAValueInsteadOfASection() throws IOException {
        SettingsReader reader = file("", "a = 5");
        assertWrong(() -> reader.text("c"), "my.conf: 2", "a", "cannot be read");
        assertWrong(() -> reader.integer("c", 0, 1), "my.conf: 2", "a");
    }

    @Test
    void shouldSuggestTheNearestOfTheAllowedTexts() throws IOException {
        SettingsReader reader = file("a.b = discconect", "a.c = zzzzzzzz");
        assertWrong(
                () -> reader.oneOf("b", "block", "disconnect", "skip"),
                "my.conf: 1",
                "a.b",
                "\"discconect\" is not one of block, disconnect, skip",
                "did you mean \"disconnect\"?");
        assertThatThrownBy(() -> reader.oneOf("c", "block", "skip"))
                .hasMessageContaining("not one of block, skip")
                .hasMessageNotContaining("did you mean");
    }

    @Test
    void shouldNotExposeParserInternals() throws IOException {
        SettingsReader reader = file("a.b = lots");
        assertThatThrownBy(() -> reader.bytes("b", 0, 1))
                .hasMessageMatching(".*my.conf: 1: a.b: \"lots\" cannot be read: [^:]*");
    }
}
