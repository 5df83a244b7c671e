package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import io.rocketbufs.cli.TerminalText;
import io.rocketbufs.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of the effects of keys in {@code rbmq top}, and of the width of its lines. */
@Tag("once")
final class TopViewTest {
    private static final String NAME = "\u202e東京<script>\u001b[2J".repeat(20);

    private final TopView view = new TopView("127.0.0.1:7611");
    private final Config topics = list("topics", 50, Map.of("name", NAME, "publishers", 1, "lagBytes", Long.MAX_VALUE));
    private final Config clients = list(
            "clients",
            50,
            Map.of("name", NAME, "address", "127.0.0.1:65535", "role", "subscriber", "delayMs", 1L << 40));
    private final Config status = Json.parse(Json.of(Map.of(
            "uptimeMs",
            5_000_000_000L,
            "lostBytes",
            Map.of("skipped", 5, "disconnected", 1000),
            "slow",
            Collections.nCopies(20, Map.of("name", NAME, "address", "127.0.0.1:65535", "topic", NAME)))));

    private static Config list(String kind, int count, Map<String, Object> each) {
        return Json.parse(Json.of(
                Map.of(kind, Collections.nCopies(count, each), "shown", count, "matching", 9999, "total", 10_000)));
    }

    private void type(String text) {
        for (byte key : text.getBytes(StandardCharsets.UTF_8)) {
            assertThat(view.press(key & 0xff)).isIn(TopView.Wish.REFRESH, TopView.Wish.REDRAW);
        }
    }

    private String lastLine() {
        return view.lastLine(topics, 80);
    }

    @Test
    void shouldFitIntoAnyScreenWithEveryName() {
        for (int width : new int[] {80, 132, 40, 1}) {
            for (int height : new int[] {24, 50, 5, 1}) {
                List<String> lines = view.lines(status, topics, clients, height, width);
                assertThat(lines).hasSizeLessThan(height);
                assertThat(lines).allSatisfy(line -> {
                    assertThat(TerminalText.width(line)).isLessThanOrEqualTo(width);
                    assertThat(TerminalText.escape(line)).isEqualTo(line);
                });
                assertThat(TerminalText.width(view.lastLine(topics, width))).isLessThanOrEqualTo(width);
            }
        }
        assertThat(view.lines(status, topics, clients, 24, 80))
                .anyMatch(line -> line.startsWith("TOPIC"))
                .anyMatch(line -> line.startsWith("CLIENT"))
                .anyMatch(line -> line.startsWith("! "))
                .anyMatch(line -> line.contains("lost 1.0 kB"));
    }

    @Test
    void shouldShowForHowLongASubscriberDelaysPublishersInTotalAndTheWorstLag() {
        Map<String, Object> slow = Map.of(
                "name",
                "risk",
                "address",
                "10.0.0.7:40112",
                "topic",
                "prices",
                "slowForMs",
                8240,
                "delayMs",
                12_000,
                "lagBytes",
                1_000_000,
                "worstLagBytes",
                1_044_480);
        Config answer = Json.parse(
                Json.of(Map.of("lostBytes", Map.of("skipped", 0, "disconnected", 0), "slow", List.of(slow))));
        assertThat(view.lines(answer, topics, clients, 24, 100))
                .contains("! \"risk\" at 10.0.0.7:40112 delays prices: 8.2 s (12.0 s in total), lag 1.0 MB, worst"
                        + " 1.0 MB");
    }

    @Test
    void shouldChangeTheOrderAndReturnToTheFirstOne() {
        for (String sort : List.of("rate", "in", "out", "lag", "lost", "delay", "name", "rate")) {
            assertThat(view.sort()).isEqualTo(sort);
            assertThat(lastLine()).contains("sort: " + sort, "9,999 of 10,000 topics");
            assertThat(view.press('s')).isEqualTo(TopView.Wish.REFRESH);
        }
        assertThat(view.press('x')).isEqualTo(TopView.Wish.NOTHING);
        assertThat(view.press('q')).isEqualTo(TopView.Wish.QUIT);
    }

    @Test
    void shouldFilterByWhatIsEntered() {
        type("/prices/ä");
        assertThat(lastLine()).isEqualTo("filter (empty: all topics): prices/ä_");
        assertThat(view.filter()).isNull();
        type("\u007f\u007f\b#\u007f/#");
        assertThat(lastLine()).isEqualTo("filter (empty: all topics): price/#_");
        type("\r");
        assertThat(view.filter()).isEqualTo("price/#");
        type("/q\u001b");
        assertThat(view.filter()).isEqualTo("price/#");
        type("/\u007f\u007f\n");
        assertThat(view.filter()).isNull();
    }

    @Test
    void shouldRefuseAnInvalidFilterWithAReasonAndSurviveAnyLength() {
        type("/#/a\n");
        assertThat(view.filter()).isNull();
        view.succeed();
        assertThat(lastLine()).contains("contains # before the last level");
        view.press('x');
        assertThat(lastLine()).startsWith("q quit");
        type("/" + "x".repeat(1000) + "\n");
        assertThat(view.filter()).hasSize(255);
        type("/\u0001\n");
        assertThat(lastLine()).contains("control character");
    }

    @Test
    void shouldShowWhyTheBrokerDoesNotAnswerUntilItDoes() {
        view.fail("no broker answers at \u001b[2J");
        assertThat(lastLine()).isEqualTo("no broker answers at \\u001b[2J");
        view.press('x');
        assertThat(lastLine()).startsWith("no broker");
        view.succeed();
        assertThat(lastLine()).startsWith("q quit");
    }
}
