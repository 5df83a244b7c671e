package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class SettingsChangesTest {
    private static BrokerSettings parsed(String settings) {
        return BrokerSettings.from(ConfigFactory.parseString(settings)
                .withFallback(ConfigFactory.load())
                .resolve());
    }

    private static List<String> applied(String before, String after) {
        return new SettingsChanges(parsed(before), parsed(after)).applied();
    }

    private static List<String> notApplied(String before, String after) {
        return new SettingsChanges(parsed(before), parsed(after)).notApplied();
    }

    @Test
    void shouldNotReportAValueThatIsWrittenInAnotherWay() {
        String before = "rbmq { broker { capacity = 1048576, lag-timeout = 1 s }, insecure = off, admin.enabled = on }";
        String after =
                "rbmq { broker { capacity = 1024 KiB, lag-timeout = 1000 ms }, insecure = no, admin.enabled = true }";
        assertThat(applied(before, after)).isEmpty();
        assertThat(notApplied(before, after)).isEmpty();
    }

    @Test
    void shouldReportFromWhenOnABatchOfGroupsApplies() {
        assertThat(applied("", "rbmq.broker.group-batch = 1"))
                .containsExactly("rbmq.broker.group-batch: 16 -> 1, for groups that begin to read a publisher's buffer"
                        + " from now on");
    }

    @Test
    void shouldNotReportWhatOnlyClientsRead() {
        String after = "rbmq { client.token = secret, publisher.capacity = 1 KiB, subscriber.slow-policy = skip }";
        assertThat(applied("", after)).isEmpty();
        assertThat(notApplied("", after)).isEmpty();
    }

    @Test
    void shouldNeverShowASecret() {
        String hash = TokenHash.of("hidden-token").hex();
        String before = "rbmq { credentials = [hidden-a], users = [{name = u, token = hidden-b},"
                + " {name = v, token-sha256 = " + hash + "}] }";
        String after = "rbmq { credentials = [hidden-c], users = [{name = u, token = hidden-d},"
                + " {name = w, token-sha256 = " + hash + ", admin = true, max-connections = 2}] }";
        List<String> all = new ArrayList<>(applied(before, after));
        all.addAll(notApplied(before, after));
        assertThat(all)
                .containsExactly(
                        "rbmq.users: user \"v\" removed",
                        "rbmq.users: user \"u\": token replaced",
                        "rbmq.users: user \"w\" added",
                        "rbmq.credentials: tokens added: 1",
                        "rbmq.credentials: tokens removed: 1");
        assertThat(Stream.of(parsed(before), parsed(after)).map(Object::toString))
                .noneMatch(text -> text.contains("hidden") || text.contains(hash));
    }

    @Test
    void shouldReportEachChangedPropertyOfAUser() {
        assertThat(applied(
                        "rbmq.users = [{name = u, token = t, publish = [a], admin = true}]",
                        "rbmq.users = [{name = u, token = t, subscribe = [a, \"b/#\"], max-connections = 3}]"))
                .containsExactly(
                        "rbmq.users: user \"u\": publish: a -> nothing",
                        "rbmq.users: user \"u\": subscribe: nothing -> a, b/#",
                        "rbmq.users: user \"u\": admin: true -> false",
                        "rbmq.users: user \"u\": max-connections: no limit -> 3, for new connections");
    }

    @Test
    void shouldDistinguishATopicWithACommaFromTwoTopics() {
        assertThat(applied(
                        "rbmq.users = [{name = u, token = t, publish = [\"a, b\"]}]",
                        "rbmq.users = [{name = u, token = t, publish = [a, b]}]"))
                .hasSize(1);
    }

    @Test
    void shouldReportEachChangedRuleAndAnotherOrder() {
        String later = ", for topics announced from now on";
        String before = "rbmq.topics = [{match = a, keep = 1}, {match = b}, {match = c, keep = 1 KiB}]";
        assertThat(applied(before, "rbmq.topics = [{match = a, keep = 2}, {match = c, keep = 1 KiB}, {match = d}]"))
                .containsExactly(
                        "rbmq.topics: rule \"b\" removed" + later,
                        "rbmq.topics: rule \"a\": keep=1 -> keep=2" + later,
                        "rbmq.topics: rule \"d\" added: no other keys" + later);
        assertThat(applied(before, "rbmq.topics = [{match = c, keep = 1 KiB}, {match = b}, {match = a, keep = 1}]"))
                .containsExactly("rbmq.topics: the rules have another order" + later);
    }

    @Test
    void shouldReportWhatNeedsARestartWithBothValues() {
        assertThat(notApplied(
                        "",
                        "rbmq.listeners = [{transport = tcp, port = 1}], rbmq.default-ports.x = 5,"
                                + " rocketbufs.coalescing = off"))
                .containsExactly(
                        "rbmq.default-ports.x: (not set) -> 5 is not applied, because it needs a restart",
                        "rbmq.listeners: [] -> [{port=1,transport=tcp}] is not applied, because it needs a restart",
                        "rocketbufs.coalescing: on -> off is not applied, because it needs a restart");
    }
}
