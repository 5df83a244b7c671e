package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.rbmq.protocol.InboxName;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class SufferedDelaysTest {
    private final List<String> calls = new ArrayList<>();
    private final SufferedDelays delays = new SufferedDelays(new PublisherCallback() {
        @Override
        public void onSlowSubscribers(String topic, int count) {
            calls.add(topic + " " + count);
        }
    });
    private final TopicOutput prices = output("prices");

    private static TopicOutput output(String topic) {
        ClientSettings settings = ClientSettings.from(ConfigFactory.load());
        return new TopicOutput(topic, 1, null, null, settings, null, () -> {});
    }

    @Test
    void shouldReportEachChangeOfTheNumberOnce() {
        delays.report(prices, 1);
        delays.report(prices, 1);
        delays.report(prices, 2);
        delays.report(prices, 2);
        delays.report(prices, 0);
        delays.report(prices, 0);
        assertThat(calls).containsExactly("prices 1", "prices 2", "prices 0");
        assertThat(delays.count()).isEqualTo(1);
    }

    @Test
    void shouldNotReportTheEndOfADelayWhoseBeginningTheBrokerHasSkipped() {
        delays.report(prices, 0);
        assertThat(calls).isEmpty();
        assertThat(delays.count()).isZero();
    }

    @Test
    void shouldReportTheEndOfAllDelaysWhenTheConnectionIsLostAndLaterDelaysAgain() {
        delays.report(prices, 3);
        delays.endAll();
        delays.endAll();
        assertThat(calls).containsExactly("prices 3", "prices 0");
        delays.report(prices, 3);
        assertThat(calls).containsExactly("prices 3", "prices 0", "prices 3");
        assertThat(delays.count()).isEqualTo(2);
    }

    @Test
    void shouldKeepTheDelaysOfTopicsApart() {
        TopicOutput trades = output("trades");
        delays.report(prices, 1);
        delays.report(trades, 2);
        delays.report(prices, 0);
        delays.endAll();
        assertThat(calls).containsExactly("prices 1", "trades 2", "prices 0", "trades 0");
    }

    @Test
    void shouldCountTheDelaysOfAnInboxWithoutReportingThem() {
        delays.report(output(InboxName.random()), 1);
        assertThat(calls).isEmpty();
        assertThat(delays.count()).isEqualTo(1);
    }

    @Test
    void shouldCountDelaysWithoutACallback() {
        SufferedDelays silent = new SufferedDelays(null);
        silent.report(prices, 1);
        silent.report(prices, 0);
        assertThat(silent.count()).isEqualTo(1);
    }
}
