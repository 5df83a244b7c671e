package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.settings.SettingsCheck;
import io.rocketbufs.settings.SettingsException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("once")
final class TopicSettingsTest {
    private static final String INBOX = "$R/" + "0123456789abcdef".repeat(2);

    private static Config config(String... lines) {
        return ConfigFactory.parseString(
                        String.join("\n", lines), ConfigParseOptions.defaults().setOriginDescription("my.conf"))
                .withFallback(ConfigFactory.parseResources("reference.conf"))
                .resolve();
    }

    private static BrokerSettings with(String... lines) {
        return BrokerSettings.from(config(lines));
    }

    /** Returns the errors that a check of the whole configuration reports. */
    private static List<String> problems(String... lines) {
        Config reference = ConfigFactory.parseResources("reference.conf").resolve();
        SettingsException all = catchThrowableOfType(SettingsException.class, () -> {
            SettingsCheck check = new SettingsCheck(config(lines), reference);
            check.values(BrokerSettings::from);
            check.finish();
        });
        return all == null ? List.of() : all.messages();
    }

    @Test
    void shouldHaveNoRulesByDefault() {
        BrokerSettings settings = with();
        assertThat(settings.topics()).isEmpty();
        TopicRule rule = new TopicRules(settings).of("prices/eu", false);
        assertThat(rule.filter()).isNull();
        assertThat(rule.options().keep()).isZero();
    }

    @Test
    void shouldReadEverySettingOfABuffer() {
        TopicSettings rule = with("rbmq.topics = [{ match = \"a/#\", capacity = 1000, max-capacity = 2000, keep = 3000,"
                        + " slow-policy = disconnect, lag-limit = 4000, lag-timeout = 5 ms, stall-timeout = 6 ms,"
                        + " block-timeout = 7 ms, join-timeout = 8 ms, drain-timeout = 9 ms }]")
                .topics()
                .get(0);
        assertThat(rule.match()).hasToString("a/#");
        assertThat(rule.buffers())
                .isEqualTo(new BufferSettings(
                        1000, 2000, 3000, false, new BufferSettings.Slow(SlowPolicy.DISCONNECT, 4000, 5, 6, 7), 8, 9));
        assertThat(TopicRule.of(rule).options())
                .hasToString(TopicRule.ofOthers(rule.buffers()).options().toString())
                .satisfies(options -> {
                    assertThat(options.keep()).isEqualTo(3000);
                    assertThat(options.slowPolicy()).isEqualTo(SlowPolicy.DISCONNECT);
                    assertThat(options.lagLimit()).isEqualTo(4000);
                    assertThat(options.lagTimeoutMs()).isEqualTo(5);
                    assertThat(options.stallTimeoutMs()).isEqualTo(6);
                });
    }

    @Test
    void shouldKeepAsManyBytesAsThePublishersBufferHasWhenTheLastMessageIsKept() {
        TopicRules rules = new TopicRules(
                with("rbmq.broker.keep = last", "rbmq.topics = [{ match = a, keep = 100 }, { match = b }]"));
        assertThat(rules.of("a", false).keepsLast()).isFalse();
        assertThat(rules.of("a", false).options(5000).keep()).isEqualTo(100);
        assertThat(rules.of("b", false).keepsLast()).isTrue();
        assertThat(rules.of("b", false).options(5000).keep()).isEqualTo(5000);
        assertThat(rules.of("other", false).options(6000).keep()).isEqualTo(6000);
        assertThat(rules.of(INBOX, true).keepsLast()).isFalse();
        assertThat(rules.of(INBOX, true).options(5000).keep()).isZero();
    }

    @Test
    void shouldTakeWhatARuleDoesNotSetFromTheBroker() {
        BrokerSettings settings = with(
                "rbmq.broker { capacity = 1000, keep = 5000, slow-policy = disconnect, lag-timeout = 3 s }",
                "rbmq.topics = [{ match = a, keep = 0 }, { match = b, slow-policy = skip }, { match = c }]");
        assertThat(settings.topics().get(0).buffers())
                .usingRecursiveComparison()
                .ignoringFields("keep")
                .isEqualTo(settings.buffers());
        assertThat(settings.topics()).extracting(rule -> rule.buffers().keep()).containsExactly(0L, 5000L, 5000L);
        assertThat(settings.topics())
                .extracting(rule -> rule.buffers().slow().policy())
                .containsExactly(SlowPolicy.DISCONNECT, SlowPolicy.SKIP, SlowPolicy.DISCONNECT);
        assertThat(settings.topics().get(1).buffers().slow().lagTimeoutMs()).isEqualTo(3000);
        assertThat(settings.topics().get(2).buffers()).isEqualTo(settings.buffers());
    }

    @ParameterizedTest
    @CsvSource({
        "prices/eu/dax, prices/eu/dax",
        "prices/eu/cac, prices/eu/+",
        "prices/eu, prices/#",
        "prices, prices/#",
        "prices/us/dow, prices/#",
        "orders/1, #"
    })
    void shouldApplyTheFirstRuleThatMatches(String topic, String filter) {
        TopicRules rules = new TopicRules(with("rbmq.topics = [{match = prices/eu/dax}, {match = \"prices/eu/+\"},"
                + " {match = \"prices/#\"}, {match = \"#\"}, {match = orders/1}]"));
        assertThat(rules.of(topic, false).filter()).isEqualTo(filter);
    }

    @Test
    void shouldApplyNoRuleToInboxesOrToOtherTopics() {
        TopicRules rules = new TopicRules(with(
                "rbmq.broker.keep = 7",
                "rbmq.topics = [{match = \"a/#\", keep = 8}, {match = \"+\", keep = 9},"
                        + " {match = \"+/+/#\", capacity = 32 MiB}]"));
        assertThat(rules.of(INBOX, true).filter()).isNull();
        assertThat(rules.of(INBOX, true).isInbox()).isTrue();
        assertThat(rules.of(INBOX, true).options().keep()).isZero();
        assertThat(rules.of(INBOX, true).capacityFor(100)).isEqualTo(100);
        // No publisher can announce such a topic, and no wildcard would match it.
        assertThat(rules.of("$SYS/x", false).filter()).isNull();
        assertThat(rules.of("$SYS/x", false).options().keep()).isEqualTo(7);
    }

    @Test
    void shouldReportAllErrorsOfAllRulesTogether() {
        assertThat(problems(
                        "rbmq.broker.lag-timeout = 0",
                        "rbmq.topics = [",
                        "{ match = \"a/#/b\", keep = 2 TiB, capacity = 15, slow-policy = wait }",
                        "{ keep = 1, stall-timeout = 0, kep = 2 }",
                        "{ match = \"$R/#\", keep = lost }",
                        "{ match = a, max-capacity = 2 KiB }",
                        "{ match = b, capacity = 65 MiB }",
                        "{ match = c, topics-per-filter = 1, group-batch = 1, drain-timeout = soon }",
                        "{ match = d, capacity = 100, max-capacity = 99 }",
                        "{ match = e, keep = -1 }",
                        "]"))
                .containsExactlyInAnyOrder(
                        "my.conf: 1: rbmq.broker.lag-timeout: 0 ms is not in the range 1 to 86400000",
                        "my.conf: 3: rbmq.topics[0].match: filter=\"a/#/b\" contains # before the last level; # must"
                                + " be the last level",
                        "my.conf: 3: rbmq.topics[0].keep: 2199023255552 bytes is not in the range 0 to 1099511627776",
                        "my.conf: 3: rbmq.topics[0].capacity: 15 bytes is not in the range 16 to 1099511627776",
                        "my.conf: 3: rbmq.topics[0].slow-policy: \"wait\" is not one of block, disconnect, skip",
                        "my.conf: 4: rbmq.topics[1].match: is missing",
                        "my.conf: 4: rbmq.topics[1].stall-timeout: 0 ms is not in the range 1 to 86400000",
                        "my.conf: 4: rbmq.topics[1].kep: is not one of match, capacity, max-capacity, keep,"
                                + " slow-policy, lag-timeout, lag-limit, stall-timeout, block-timeout,"
                                + " join-timeout, drain-timeout;"
                                + " did you mean \"keep\"?",
                        "my.conf: 5: rbmq.topics[2].match: filter=\"$R/#\" begins with $; such names are reserved",
                        "my.conf: 5: rbmq.topics[2].keep: \"lost\" cannot be read: expected a size such as 65536 or"
                                + " 64 KiB, or last",
                        "my.conf: 6: rbmq.topics[3].max-capacity: 2048 bytes is less than rbmq.broker.capacity ="
                                + " 1048576; raise it, or set a lower capacity",
                        "my.conf: 7: rbmq.topics[4].capacity: 68157440 bytes exceeds rbmq.broker.max-capacity ="
                                + " 67108864; reduce it, or set max-capacity in this rule, too",
                        "my.conf: 8: rbmq.topics[5].topics-per-filter: is not one of match, capacity, max-capacity,"
                                + " keep, slow-policy, lag-timeout, lag-limit, stall-timeout, block-timeout,"
                                + " join-timeout,"
                                + " drain-timeout",
                        "my.conf: 8: rbmq.topics[5].group-batch: is not one of match, capacity, max-capacity, keep,"
                                + " slow-policy, lag-timeout, lag-limit, stall-timeout, block-timeout, join-timeout,"
                                + " drain-timeout",
                        "my.conf: 8: rbmq.topics[5].drain-timeout: \"soon\" cannot be read: expected a duration such as"
                                + " 500 ms or 2 s",
                        "my.conf: 9: rbmq.topics[6].max-capacity: 99 bytes is less than capacity = 100; raise it, or"
                                + " set a lower capacity",
                        "my.conf: 10: rbmq.topics[7].keep: \"-1\" cannot be read: expected a size such as 65536 or"
                                + " 64 KiB, or last");
    }

    @Test
    void shouldRefuseTheSameCapacitiesForAllTopics() {
        assertThat(problems("rbmq.broker { capacity = 100, max-capacity = 99 }"))
                .containsExactly("my.conf: 1: rbmq.broker.max-capacity: 99 bytes is less than capacity = 100; raise it,"
                        + " or set a lower capacity");
    }

    @Test
    void shouldWarnOfARuleThatNeverApplies() {
        assertThat(with(
                                "rbmq.topics = [",
                                "{match = prices/eu}, {match = \"prices/+\"}, {match = \"prices/#\"},",
                                "{match = prices/us}, {match = \"prices/+/#\"}, {match = \"orders/+\"},",
                                "{match = orders},",
                                "{match = \"orders/+/#\"}, {match = \"orders/#\"}, {match = \"#\"}, {match = \"+/x\"}",
                                "]")
                        .warnings())
                .containsExactly(
                        neverApplies(3, "prices/us"),
                        neverApplies(4, "prices/+/#"),
                        neverApplies(8, "orders/#"),
                        neverApplies(10, "+/x"));
        assertThat(with("rbmq.topics = [{match = a}, {match = \"#\"}]").warnings())
                .isEmpty();
    }

    private static String neverApplies(int index, String filter) {
        return "rbmq.topics[" + index + "] never applies: earlier rules match all topics that \"" + filter
                + "\" matches; move it before them, or remove it";
    }
}
