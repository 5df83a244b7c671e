package io.rocketbufs.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigValueFactory;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsCheckTest {
    private static final String SECRET = "hunter2";

    private final Config reference = ConfigFactory.parseString("a { size = 1 k, count = 2, on = true, time = 1 s,"
            + " limit = 2 s, token = \"\", credentials = [], keys = [], users = [],"
            + " token-sha256 = \"\", word = x, sub.password = \"\" }");

    private static void read(Config config) {
        SettingsReader reader = new SettingsReader(config, "a");
        reader.bytes("size", 1, 4096);
        reader.integer("count", 1, 9);
        reader.bool("on");
        long timeMs = reader.millis("time", 1, 10_000);
        if (reader.millis("limit", 1, 10_000) <= timeMs) {
            throw reader.conflict("limit", "must be longer than time", "time");
        }
        reader.text("token");
        reader.texts("credentials");
        for (SettingsReader entry : reader.list("keys")) {
            entry.only("key", "port", "other");
            entry.text("key");
            if (entry.has("port") == entry.has("other")) {
                throw entry.conflict("port", "needs one of port, other", "port", "other");
            }
            if (entry.has("port")) {
                entry.integer("port", 0, 99);
            }
        }
        reader.list("users");
        reader.text("token-sha256");
        reader.oneOf("word", "x", "y");
        reader.text("sub.password");
    }

    private List<String> problems(String... lines) {
        SettingsException all = catchThrowableOfType(SettingsException.class, () -> check(String.join("\n", lines)));
        return all == null ? List.of() : all.messages();
    }

    private void check(String text) {
        Config given =
                ConfigFactory.parseString(text, ConfigParseOptions.defaults().setOriginDescription("my.conf"));
        SettingsCheck check = new SettingsCheck(given, reference);
        check.keys(given, new KnownKeys(reference, Set.of("a"), List.of(), true));
        check.values(SettingsCheckTest::read);
        check.finish();
    }

    @Test
    void shouldAcceptValidValues() {
        assertThatCode(() -> check("a { size = 2 k, keys = [{key = x, other = 1}, {key = y, port = 1}] }"))
                .doesNotThrowAnyException();
    }

    @Test
    void shouldReadTheReplacementOfAValue() {
        Config given = ConfigFactory.parseString("a.word = file");
        SettingsCheck check = new SettingsCheck(given, reference);
        check.replace(read -> read.withValue("a.word", ConfigValueFactory.fromAnyRef("y")));
        check.values(SettingsCheckTest::read);
        assertThat(check.finish().getString("a.word")).isEqualTo("y");
    }

    @Test
    void shouldReportAnErrorOfAReplacementOnceAndTheOtherErrors() {
        Config given = ConfigFactory.parseString("a.word = file\na.count = many");
        SettingsCheck check = new SettingsCheck(given, reference);
        check.replace(read -> {
            new SettingsReader(read, "a").oneOf("word", "x", "y");
            return read;
        });
        check.values(SettingsCheckTest::read);
        check.values(SettingsCheckTest::read);
        assertThat(catchThrowableOfType(SettingsException.class, check::finish).messages())
                .satisfiesExactly(
                        word -> assertThat(word).contains("a.word: \"file\" is not one of x, y"),
                        count -> assertThat(count).contains("a.count: \"many\" cannot be read"));
    }

    @Test
    void shouldReportAllErrorsInTheOrderOfLines() {
        assertThat(problems("a.cuont = 3", "a.size = 5 k", "a.on = 7", "a.count = many", "a.word = z", "a.time = soon"))
                .containsExactly(
                        "my.conf: 1: a.cuont: is not a known key; did you mean a.count?",
                        "my.conf: 2: a.size: 5120 bytes is not in the range 1 to 4096",
                        "my.conf: 3: a.on: \"7\" cannot be read: expected true or false",
                        "my.conf: 4: a.count: \"many\" cannot be read: expected a whole number",
                        "my.conf: 5: a.word: \"z\" is not one of x, y; did you mean \"x\"?",
                        "my.conf: 6: a.time: \"soon\" cannot be read: expected a duration such as 500 ms or 2 s");
    }

    @Test
    void shouldReportTheErrorsOfEveryObjectInAList() {
        assertThat(problems(
                        "a.keys = [",
                        "  {port = 5}",
                        "  {key = x, port = 100}",
                        "  {key = [1], port = 101}",
                        "  {kye = x, key = y, port = 1}",
                        "  {key = y, port = 1}",
                        "  {key = y}",
                        "  {key = y, port = 1, other = 1}",
                        "]"))
                .containsExactly(
                        "my.conf: 2: a.keys[0].key: is missing",
                        "my.conf: 3: a.keys[1].port: 100 is not in the range 0 to 99",
                        "my.conf: 4: a.keys[2].key: cannot be read: expected a string",
                        "my.conf: 5: a.keys[3].kye: is not one of key, port, other; did you mean \"key\"?",
                        "my.conf: 7: a.keys[5].port: needs one of port, other",
                        "my.conf: 8: a.keys[6].port: needs one of port, other");
    }

    @Test
    void shouldReportAConflictOnlyIfTheOtherValueIsValid() {
        assertThat(problems("a.limit = 1 s")).containsExactly("my.conf: 1: a.limit: must be longer than time");
        assertThat(problems("a.limit = 1 s", "a.time = soon"))
                .singleElement()
                .asString()
                .contains("a.time");
        assertThat(problems("a.limit = 1 s", "a.tiem = 1 ms"))
                .singleElement()
                .asString()
                .contains("a.tiem");
        assertThat(problems("a.limit = 1 s", "a.count = 0")).hasSize(2);
    }

    @Test
    void shouldReportAValueInPlaceOfASectionOnce() {
        assertThat(problems("a.sub = 5"))
                .containsExactly("my.conf: 1: a.sub: is a section, which needs keys in braces");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a.token = [hunter2]",
                "a.token { x = hunter2 }",
                "a.tokne = hunter2",
                "a.credentials = hunter2",
                "a.credentials = [[hunter2]]",
                "a.credentials = { hunter2 = hunter2 }",
                "a.credentails = [hunter2]",
                "a.keys = hunter2",
                "a.keys = [hunter2]",
                "a.keys = [{kye = hunter2, key = x, port = 1}]",
                "a.keys = [{key = [hunter2], port = 1}]",
                "a.users = hunter2",
                "a.token-sha256 = [hunter2]",
                "a.keys = {key = hunter2}",
                "a.sub.password = [hunter2]",
                "a.sub.pasword = hunter2",
                "a.sub = hunter2",
                "a.size = [hunter2]",
                "a.size = {token = hunter2}"
            })
    void shouldNeverShowASecret(String line) {
        List<String> problems = problems(line);
        assertThat(problems)
                .isNotEmpty()
                .allSatisfy(problem -> assertThat(problem)
                        .startsWith("my.conf: 1: a.")
                        .doesNotContain(": " + SECRET)
                        .doesNotContain(SECRET + "\""));
    }

    @Test
    void shouldEndWhenTheReferenceItselfIsInvalid() {
        assertThatThrownBy(() -> {
                    SettingsCheck check = new SettingsCheck(ConfigFactory.empty(), reference);
                    check.values(config -> new SettingsReader(config, "a").integer("size", 0, 1));
                    check.finish();
                })
                .isInstanceOf(SettingsException.class);
    }
}
