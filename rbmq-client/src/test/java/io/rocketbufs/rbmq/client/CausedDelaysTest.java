package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.Start;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.RbmqMessage;
import io.rocketbufs.rbmq.protocol.SlowLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class CausedDelaysTest {
    private final List<String> calls = new ArrayList<>();
    private final CausedDelays delays = new CausedDelays(new SubscriberCallback() {
        @Override
        public void onSlow(String topic, int publisher, long waitingLength) {
            calls.add(topic + " " + publisher + " slow " + waitingLength);
        }

        @Override
        public void onSlowEnd(String topic, int publisher, long delayMs) {
            calls.add(topic + " " + publisher + " end " + delayMs);
        }
    });
    private final PublisherBuffer prices = buffer("prices");

    private static PublisherBuffer buffer(String topic) {
        return new PublisherBuffer(topic, 5, 3, SlowPolicy.BLOCK, Start.LIVE, 0, (to, failure) -> {});
    }

    private void report(PublisherBuffer buffer, int count, long pendingLength, long delayMs) {
        ByteBuffer message = SlowLayout.write(5, count, pendingLength, delayMs);
        RbmqMessage.type(message);
        delays.report(buffer, message);
    }

    @Test
    void shouldReportTheBeginningAndTheEndOfADelayOnceEach() {
        report(prices, 1, 100, 200);
        report(prices, 1, 100, 200);
        report(prices, 0, 0, 700);
        report(prices, 0, 0, 700);
        assertThat(calls).containsExactly("prices 3 slow 100", "prices 3 end 700");
        assertThat(delays.count()).isEqualTo(1);
    }

    @Test
    void shouldIgnoreAReportAboutABufferThatHasEnded() {
        report(null, 1, 100, 200);
        assertThat(calls).isEmpty();
        assertThat(delays.count()).isZero();
    }

    @Test
    void shouldContinueToCountOnTheNextConnection() {
        report(prices, 1, 100, 200);
        report(buffer("prices"), 1, 100, 200);
        assertThat(calls).hasSize(2);
        assertThat(delays.count()).isEqualTo(2);
    }

    @Test
    void shouldCountTheDelaysOfAnInboxWithoutReportingThem() {
        report(buffer(InboxName.random()), 1, 100, 200);
        assertThat(calls).isEmpty();
        assertThat(delays.count()).isEqualTo(1);
    }
}
