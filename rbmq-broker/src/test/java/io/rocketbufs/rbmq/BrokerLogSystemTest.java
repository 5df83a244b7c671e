package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.Role;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the broker's log lines about its clients. Each change is logged once, with the peer's address. */
@Tag("once")
@Timeout(600)
final class BrokerLogSystemTest {
    private static final int TOPICS = 2000;

    private final LoggedLines logged = new LoggedLines();
    private final RunningBroker running = new RunningBroker();

    @AfterEach
    void close() {
        running.close();
        logged.close();
    }

    @Test
    void shouldLogTheLossOfASubscriberOnce() throws Exception {
        new RawSocket(running.address(), Role.SUBSCRIBER).close();
        await().until(() -> !logged.with("left").isEmpty());
        assertThat(logged.with("without a goodbye"))
                .singleElement()
                .asString()
                .matches("WARN Subscriber \"raw\" at 127.0.0.1:[0-9]+ left: .*");
    }

    @Test
    void shouldLogTheLossOfAPublisherOnce() throws Exception {
        new RawSocket(running.address(), Role.PUBLISHER).close();
        await().until(() -> !logged.with("left").isEmpty());
        assertThat(logged.with("without a goodbye"))
                .singleElement()
                .asString()
                .matches("WARN Publisher 1 \"raw\" at 127.0.0.1:[0-9]+ left: .*");
    }

    @Test
    void shouldLogAProtocolViolationOnceWithThePeer() throws Exception {
        RawClient subscriber = new RawClient(running, Role.SUBSCRIBER);
        subscriber.send(77, 1);
        await().until(() -> !logged.with("left").isEmpty());
        assertThat(logged.with("RBMQ protocol violation"))
                .singleElement()
                .asString()
                .matches("WARN Subscriber \"raw\" at (127.0.0.1:[0-9]+) left: \\1: RBMQ protocol violation: .*");
    }

    @Test
    void shouldLogTheFirstTopicOfAClientAndCountTheOthersAtMostOnceASecond() throws Exception {
        long beginNs = System.nanoTime();
        RawClient subscriber = new RawClient(running, Role.SUBSCRIBER);
        for (int i = 0; i < TOPICS; i++) {
            subscriber.send(TopicLayout.write(i, null, "topic " + i));
        }
        await().until(() -> joined(logged.with("joined")) == TOPICS);
        for (int i = 0; i < TOPICS; i++) {
            subscriber.send(NoticeLayout.ofSubscription(RbmqType.TOPIC_UNSUBSCRIBE, i, ""));
        }
        await().until(() -> logged.with(" left ").stream()
                        .mapToInt(line -> number(line, " left (\\d+) topics?$"))
                        .sum()
                == TOPICS);
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beginNs);
        assertThat(logged.with("joined").get(0))
                .matches("INFO Subscriber \"raw\" at 127.0.0.1:[0-9]+ joined topic \"topic 0\"");
        assertThat(logged.with("topic").size()).isLessThanOrEqualTo((int) seconds + 1);
    }

    @Test
    void shouldLogHowManyTopicsAPublisherHasJoinedBeforeItLeft() throws Exception {
        try (Publisher publisher = running.publisher()) {
            for (int i = 0; i < 10; i++) {
                publisher.topic("topic " + i).announced().get(60, TimeUnit.SECONDS);
            }
        }
        await().until(() -> logged.with("Publisher 1").stream().anyMatch(line -> line.endsWith(" left")));
        assertThat(joined(logged.with("joined"))).isEqualTo(10);
        assertThat(logged.with("Publisher 1")).last().asString().endsWith(" left");
        assertThat(logged.with("Publisher 1").size()).isLessThan(10);
    }

    /** Returns the number of joined topics that the given lines of one client report. */
    private static int joined(List<String> lines) {
        return lines.stream()
                .mapToInt(line -> line.endsWith("\"") ? 1 : number(line, " joined (\\d+) more topics?.*"))
                .sum();
    }

    private static int number(String line, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(line);
        return matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
    }

    @Test
    void shouldLogAGracefulCloseOnceAtLevelInfo() {
        running.publisher().close();
        running.subscriber().close();
        await().until(() -> logged.with("left").size() == 2);
        assertThat(logged.with("left")).allMatch(line -> line.startsWith("INFO ") && line.endsWith(" left"));
        assertThat(logged.with("WARN")).isEmpty();
    }
}
