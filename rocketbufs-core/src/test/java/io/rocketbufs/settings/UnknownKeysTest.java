package io.rocketbufs.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class UnknownKeysTest {
    private static final Set<String> ROOTS = Set.of("rocketbufs", "rbmq");

    private final Config reference =
            ConfigFactory.parseString("rocketbufs { transport = tcp, buffer-capacity = 1, tcp { threads = 1 } }");

    private static Config given(String... lines) {
        return ConfigFactory.parseString(
                String.join("\n", lines), ConfigParseOptions.defaults().setOriginDescription("my.conf"));
    }

    private void check(Config given) {
        UnknownKeys.check(given, reference, ROOTS);
    }

    @Test
    void shouldAcceptKnownKeysAndKeysOfOtherProjects() {
        assertThatCode(() -> check(given("rocketbufs.transport = x", "other.key = 1", "rocketbufsx = 2")))
                .doesNotThrowAnyException();
        assertThatCode(() -> check(given("rocketbufs { tcp { threads = 2 } }"))).doesNotThrowAnyException();
        assertThatCode(() -> check(given(""))).doesNotThrowAnyException();
    }

    @Test
    void shouldReportFileLineKeyAndTheNearestKey() {
        assertThatThrownBy(() -> check(given("", "rocketbufs.bufer-capacity = 3")))
                .isInstanceOf(SettingsException.class)
                .hasMessageContainingAll(
                        "my.conf: 2",
                        "rocketbufs.bufer-capacity",
                        "is not a known key; did you mean rocketbufs.buffer-capacity?");
        assertThatThrownBy(() -> check(given("rocketbufs { tcp { thread = 3 } }")))
                .hasMessageContaining("did you mean rocketbufs.tcp.threads?");
    }

    @Test
    void shouldSuggestNothingWhenNoKeyIsSimilar() {
        assertThatThrownBy(() -> check(given("rbmq.xyzzy = 3")))
                .hasMessageContaining("rbmq.xyzzy: is not a known key")
                .hasMessageNotContaining("did you mean");
    }

    @Test
    void shouldReportTheFirstOfSeveralKeys() {
        String[] lines = new String[50];
        for (int i = 0; i < lines.length; i++) {
            lines[i] = "rocketbufs.k" + (i * 7919 % 1000) + " = 1";
        }
        assertThatThrownBy(() -> check(given(lines))).hasMessageContaining("my.conf: 1: rocketbufs.k0");
    }

    @Test
    void shouldRejectValuesAndSectionsInTheWrongPlace() {
        assertThatThrownBy(() -> check(given("rocketbufs.tcp = 5"))).hasMessageContaining("rocketbufs.tcp");
        assertThatThrownBy(() -> check(given("rocketbufs.transport.name = tcp")))
                .hasMessageContaining("rocketbufs.transport.name");
    }

    @Test
    void shouldFindTheNearestWord() {
        List<String> words = List.of("block", "disconnect", "skip");
        assertThat(UnknownKeys.nearest("blok", words)).isEqualTo("block");
        assertThat(UnknownKeys.nearest("ksip", words)).isEqualTo("skip");
        assertThat(UnknownKeys.nearest("disconect", words)).isEqualTo("disconnect");
        assertThat(UnknownKeys.nearest("block", words)).isEqualTo("block");
        assertThat(UnknownKeys.nearest("entirely different", words)).isNull();
        assertThat(UnknownKeys.nearest("", List.of())).isNull();
    }
}
