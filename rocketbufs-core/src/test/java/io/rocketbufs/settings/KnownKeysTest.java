package io.rocketbufs.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KnownKeysTest {
    private static final Set<String> ROOTS = Set.of("rocketbufs", "rbmq");

    private final Config reference =
            ConfigFactory.parseString("rocketbufs { transport = tcp, buffer-capacity = 1, tcp { threads = 1 } }");

    private static Config given(String... lines) {
        return ConfigFactory.parseString(
                String.join("\n", lines), ConfigParseOptions.defaults().setOriginDescription("my.conf"));
    }

    private void check(Config given) {
        check(given, true);
    }

    private void check(Config given, boolean allowsOtherPrograms) {
        SettingsCheck check = new SettingsCheck(given, reference);
        check.keys(given, new KnownKeys(reference, ROOTS, List.of("rbmq.open"), allowsOtherPrograms));
        check.finish();
    }

    @Test
    void shouldAcceptKnownKeysAndKeysOfOtherProjects() {
        assertThatCode(() -> check(given("rocketbufs.transport = x", "other.key = 1", "amq.port = 2")))
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
    void shouldReportEveryKeyInTheOrderOfLines() {
        String[] lines = new String[50];
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < lines.length; i++) {
            lines[i] = "rocketbufs.k" + (i * 7919 % 1000) + " = 1";
            expected.add("my.conf: " + (i + 1) + ": rocketbufs.k" + (i * 7919 % 1000) + ": is not a known key");
        }
        assertThatThrownBy(() -> check(given(lines)))
                .isInstanceOfSatisfying(
                        SettingsException.class,
                        all -> assertThat(all.messages()).isEqualTo(expected))
                .hasMessage(String.join("\n", expected));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rbqm", "rbm", "rbmqq", "RBMQ", "rocketbuf", "rocket-bufs", "RocketBufs", "roketbuf"})
    void shouldReportARootThatLooksLikeAMisspeltOne(String root) {
        assertThatThrownBy(() -> check(given(root + ".port = 1"))).hasMessageContaining("is not a known key");
    }

    @ParameterizedTest
    @ValueSource(strings = {"akka", "amq", "zmq", "mqtt", "rabbitmq", "rocketmq", "app", "livestream", "x"})
    void shouldAcceptTheRootsOfOtherProgramsOnlyInAFile(String root) {
        assertThatCode(() -> check(given(root + ".port = 1"))).doesNotThrowAnyException();
        assertThatThrownBy(() -> check(given(root + ".port = 1"), false))
                .hasMessageContaining(root + ".port: is not a known key");
    }

    @Test
    void shouldSuggestAKeyOfTheRootThatWasMeant() {
        assertThatThrownBy(() -> check(given("rocketbusf { transport = tcp }")))
                .hasMessageEndingWith("did you mean rocketbufs.transport?");
    }

    @Test
    void shouldAcceptAnyKeyBelowAnOpenKey() {
        assertThatCode(() -> check(given("rbmq.open.pigeon = 1"))).doesNotThrowAnyException();
        assertThatThrownBy(() -> check(given("rbmq.opens.pigeon = 1"))).isInstanceOf(SettingsException.class);
    }

    @Test
    void shouldRejectValuesAndSectionsInTheWrongPlace() {
        assertThatThrownBy(() -> check(given("rocketbufs.tcp = 5")))
                .hasMessageContaining("rocketbufs.tcp: is a section");
        assertThatThrownBy(() -> check(given("rocketbufs.transport.name = tcp")))
                .hasMessageContaining("rocketbufs.transport.name");
    }

    @Test
    void shouldFindTheNearestWord() {
        List<String> words = List.of("block", "disconnect", "skip");
        assertThat(SimilarNames.nearest("blok", words)).isEqualTo("block");
        assertThat(SimilarNames.nearest("ksip", words)).isEqualTo("skip");
        assertThat(SimilarNames.nearest("disconect", words)).isEqualTo("disconnect");
        assertThat(SimilarNames.nearest("block", words)).isEqualTo("block");
        assertThat(SimilarNames.nearest("entirely different", words)).isNull();
        assertThat(SimilarNames.nearest("", List.of())).isNull();
    }

    @ParameterizedTest
    @CsvSource({"a,a,0", "'',abc,3", "rbqm,rbmq,1", "abc,acb,1", "kitten,sitting,3", "ca,abc,3"})
    void shouldCountLettersAndExchangedNeighbours(String a, String b, int distance) {
        assertThat(SimilarNames.distance(a, b)).isEqualTo(distance);
        assertThat(SimilarNames.distance(b, a)).isEqualTo(distance);
    }
}
