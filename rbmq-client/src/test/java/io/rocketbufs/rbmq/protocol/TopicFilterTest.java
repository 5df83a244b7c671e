package io.rocketbufs.rbmq.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
final class TopicFilterTest {
    /** Uses the examples of MQTT 5.0, sections 4.7.1 to 4.7.3. */
    @ParameterizedTest
    @CsvSource({
        "sport/tennis/player1/#, sport/tennis/player1, true",
        "sport/tennis/player1/#, sport/tennis/player1/ranking, true",
        "sport/tennis/player1/#, sport/tennis/player1/score/wimbledon, true",
        "sport/#, sport, true",
        "#, sport/tennis/player1, true",
        "#, /, true",
        "sport/tennis/+, sport/tennis/player1, true",
        "sport/tennis/+, sport/tennis/player2, true",
        "sport/tennis/+, sport/tennis/player1/ranking, false",
        "sport/+, sport, false",
        "sport/+, sport/, true",
        "+/+, /finance, true",
        "/+, /finance, true",
        "+, /finance, false",
        "+/tennis/#, sport/tennis, true",
        "+/tennis/#, sport/tennis/player1, true",
        "sport/+/player1, sport/tennis/player1, true",
        "#, $SYS/monitor/Clients, false",
        "+/monitor/Clients, $SYS/monitor/Clients, false",
        "ACCOUNTS, Accounts, false",
        "Accounts payable, Accounts payable, true",
        "/finance, finance, false",
        "sport/#, sports, false",
        "sport/#, sports/tennis, false",
        "sport/+/#, sport, false",
        "sport/+/#, sport/, true",
        "a/+/c, a/b/d, false",
        "+, a, true"
    })
    void shouldMatchAsMqttSpecifies(String filter, String topic, boolean matches) {
        assertThat(TopicFilter.of(filter).matches(topic)).isEqualTo(matches);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"#", "+", "+/#", "/#", "/+", "+/tennis/#", "sport/+/player1", "\u00e4/+", " /#", "plain", "/"})
    void shouldReadWhatItWrites(String text) {
        TopicFilter read =
                TopicFilter.decode(ByteBuffer.wrap(TopicFilter.of(text).encode()));
        assertThat(read).hasToString(text);
        assertThat(read.isWildcard()).isEqualTo(text.contains("+") || text.contains("#"));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '\'',
            value = {
                "sport/tennis#, 'has the level \"tennis#\"; a wildcard must be a level of its own'",
                "sport+, has the level \"sport+\"",
                "sport/+tennis/x, has the level \"+tennis\"",
                "++, has the level \"++\"",
                "#+, has the level \"#+\"",
                "sport/tennis/#/ranking, contains # before the last level; # must be the last level",
                "#/, contains # before the last level",
                "$SYS/#, begins with $; such names are reserved",
                "$share/group/+, begins with $"
            })
    void shouldNameTheRuleThatAnInvalidFilterBreaks(String text, String reason) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TopicFilter.of(text))
                .withMessageStartingWith("filter=\"" + text + "\" " + reason);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TopicFilter.decode(ByteBuffer.wrap(text.getBytes(UTF_8))))
                .withMessageStartingWith("filter=\"" + text + "\" " + reason);
    }

    @Test
    void shouldApplyTheRulesOfNamesToFilters() {
        assertThat(TopicFilter.of("a".repeat(253) + "/#").isWildcard()).isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TopicFilter.of("\u00e4".repeat(127) + "/#"))
                .withMessage("filter.length=256 is not in the range 1 to 255");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TopicFilter.of("a\n/#"))
                .withMessage("filter=\"a\ufffd/#\" contains a control character");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TopicFilter.of("\ud800/#"))
                .withMessageContaining("not well-formed Unicode");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TopicFilter.of(""))
                .withMessageStartingWith("topic.length=0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TopicFilter.decode(ByteBuffer.wrap(new byte[] {'#', (byte) 0xff})))
                .withMessageContaining("not UTF-8");
    }

    @Test
    void shouldKeepEmptyLevels() {
        assertThat(TopicFilter.levels("/a//")).containsExactly("", "a", "", "");
        assertThat(TopicFilter.levels("a")).containsExactly("a");
    }

    /** Checks every pair of short filters against all short names: two filters overlap if a name matches both. */
    @Test
    void shouldFindOutWhetherTwoFiltersCanMatchTheSameTopic() {
        List<TopicFilter> filters = new ArrayList<>();
        for (String text : combinations(List.of("a", "b", "", "+"), 2)) {
            if (!text.isEmpty()) {
                filters.add(TopicFilter.of(text));
            }
            filters.add(TopicFilter.of(text + "/#"));
        }
        filters.add(TopicFilter.of("#"));
        List<String> names = combinations(List.of("a", "b", "c", ""), 3);
        for (TopicFilter one : filters) {
            for (TopicFilter other : filters) {
                boolean isShared = names.stream().anyMatch(name -> one.matches(name) && other.matches(name));
                assertThat(one.overlaps(other)).as("%s and %s", one, other).isEqualTo(isShared);
            }
        }
    }

    /** Returns all names that consist of one to {@code most} of the given levels. */
    private static List<String> combinations(List<String> levels, int most) {
        List<String> all = new ArrayList<>(levels);
        List<String> longest = levels;
        for (int i = 1; i < most; i++) {
            longest = longest.stream()
                    .flatMap(start -> levels.stream().map(level -> start + "/" + level))
                    .toList();
            all.addAll(longest);
        }
        return all;
    }
}
