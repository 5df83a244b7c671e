package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.broker.TopicState;
import io.rocketbufs.rbmq.broker.TopicState.SubscriberState;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of a subscriber whose link carries 1 Mb/s, while another subscriber reads as fast as this machine allows. */
@Tag("once")
@Timeout(600)
final class NarrowLinkSystemTest {
    private static final int BYTES_PER_SECOND = 1_000_000 / Byte.SIZE;
    /**
     * Number of messages. The link needs more than 3 s to carry all of them, and half a second to carry the contents of
     * a buffer.
     */
    private static final int MESSAGE_COUNT = 35_000;

    /**
     * The number of bytes in a log line about losses that have ended. On a busy machine, one loss may become several.
     */
    private static final Pattern OVER = Pattern.compile("(?:; |ended, )(\\d+) bytes (?:were skipped$|in total)");

    private final LoggedLines logged = new LoggedLines();
    private final LinkPace pace = new LinkPace(BYTES_PER_SECOND);
    private final Continuity narrow = new Continuity();
    private final Continuity wide = new Continuity();
    private RunningBroker running;

    private void start(SlowPolicy policy) throws Exception {
        running = new RunningBroker(
                "rbmq.broker.capacity = 64 KiB",
                "rbmq.subscriber.capacity = 64 KiB",
                "rbmq.publisher.capacity = 64 KiB",
                "rocketbufs.heartbeat-interval = 400 ms");
        CuttableProxy proxy = running.opened(new CuttableProxy(running.address(), pace));
        subscribe(
                running.subscriberSettings().withName("narrow").withBroker(proxy.address()), "prices", narrow, policy);
        subscribe(running.subscriberSettings().withName("wide"), "#", wide, policy);
    }

    private void subscribe(ClientSettings settings, String filter, Continuity to, SlowPolicy policy) throws Exception {
        Subscriber subscriber = running.subscriber(settings, to);
        subscriber.subscribe(filter, to, policy).ready().get(60, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() {
        pace.close();
        running.close();
        logged.close();
    }

    @Test
    void shouldReceiveEverythingUnderBlockBeNamedAndDelayOnlyItsTopic() throws Exception {
        start(SlowPolicy.BLOCK);
        Publisher feed = running.publisher(running.publisherSettings().withName("feed"));
        TopicPublisher prices = feed.topic("prices");
        Thread publishing = new Thread(() -> Continuity.publish(prices, 0, MESSAGE_COUNT));
        publishing.start();
        await().until(() -> logged.with("Subscriber \"narrow\"").stream()
                .anyMatch(line -> line.contains("is delaying publisher 1 \"feed\" on topic \"prices\"")));
        // Another topic does not wait for the link, even though its messages come from the same publisher.
        Continuity.publish(feed.topic("trades"), 0, MESSAGE_COUNT / 4);
        await().until(() -> wide.next("trades") == MESSAGE_COUNT / 4);
        assertThat(narrow.next("prices")).isLessThan(MESSAGE_COUNT);
        publishing.join();
        await().until(() -> narrow.next("prices") == MESSAGE_COUNT && wide.next("prices") == MESSAGE_COUNT);
        assertThat(narrow.receivedCount("prices")).isEqualTo(MESSAGE_COUNT);
        assertThat(narrow.gaps()).isEmpty();
        assertThat(narrow.faults()).isEmpty();
    }

    @Test
    void shouldBeToldOfEachByteThatItMissesUnderSkipAndDelayNobody() throws Exception {
        start(SlowPolicy.SKIP);
        TopicPublisher prices = running.publisher().topic("prices");
        Continuity.publish(prices, 0, MESSAGE_COUNT);
        await().until(() -> wide.next("prices") == MESSAGE_COUNT);
        await().until(() -> narrow.next("prices") == MESSAGE_COUNT);
        assertThat(narrow.missedCount("prices")).isPositive();
        assertThat(narrow.receivedCount("prices") + narrow.missedCount("prices"))
                .isEqualTo(MESSAGE_COUNT);
        assertThat(narrow.faults()).isEmpty();
        assertThat(state("narrow").lostLength()).isEqualTo(narrow.missedCount("prices") * Continuity.FRAME);
        assertThat(logged.with("is delaying")).isEmpty();
        assertLogged(narrow.missedCount("prices") * Continuity.FRAME);
    }

    /** Checks that the log reports the loss and, at its end, the number of bytes. */
    private void assertLogged(long missedLength) {
        await().untilAsserted(() -> assertThat(logged.with("Subscriber \"narrow\"").stream()
                        .map(OVER::matcher)
                        .filter(Matcher::find)
                        .mapToLong(line -> Long.parseLong(line.group(1)))
                        .sum())
                .isEqualTo(missedLength));
        assertThat(logged.with("Subscriber \"narrow\"").stream().filter(line -> line.startsWith("WARN ")))
                .first()
                .asString()
                .contains(" is missing data from publisher 1 \"", " on topic \"prices\": ")
                .endsWith(" bytes were skipped (slow-policy skip)");
    }

    private SubscriberState state(String name) {
        TopicState topic = running.broker().topics().get(0);
        return topic.subscribers().stream()
                .filter(each -> each.name().equals(name))
                .findAny()
                .orElseThrow();
    }
}
