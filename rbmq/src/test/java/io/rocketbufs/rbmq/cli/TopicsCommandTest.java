package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(600)
final class TopicsCommandTest {
    private final RunningBroker running = new RunningBroker(
            "rbmq.broker.capacity = 10000",
            "rbmq.subscriber.capacity = 10000",
            "rbmq.publisher.capacity = 10000",
            "rocketbufs.heartbeat-interval = 400 ms");

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    void shouldNameSubscribersThatDelayPublishersAndPublishersThatHaveWaited() throws Exception {
        Subscription subscription = running.subscriber().subscribe("prices", message -> {});
        subscription.ready().get(60, TimeUnit.SECONDS);
        TopicPublisher prices = running.publisher().topic("prices");
        prices.announced().get(60, TimeUnit.SECONDS);
        assertThat(lines()).hasSize(2);
        subscription.pause();
        await().until(() -> {
            while (prices.tryPublish(new byte[500]) == PublishResult.PUBLISHED) {
                continue;
            }
            return lines().size() == 4;
        });
        assertThat(lines().get(2))
                .matches("  \\S+@\\S+/\\S+\\[\\d+\\] at 127\\.0\\.0\\.1:\\d+ has waited \\d+\\.\\d s for subscribers");
        assertThat(lines().get(3))
                .matches("  \\S+@\\S+/\\S+\\[\\d+\\] at 127\\.0\\.0\\.1:\\d+ has been delaying publishers since"
                        + " \\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z, \\d+\\.\\d s in total: [0-9,]+ bytes are waiting, at"
                        + " worst [1-9][0-9,]*");
        subscription.resume();
        await().until(() -> lines().get(3)
                .matches(".* has delayed publishers by \\d+\\.\\d s; at worst, [1-9][0-9,]* bytes were waiting"));
    }

    @Test
    void shouldShowGroupsWithTheirMembersAndWhatWaitsForThem() throws Exception {
        SubscriptionOptions workers = SubscriptionOptions.DEFAULTS.withGroup("workers");
        List<Subscription> members = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            members.add(running.subscriber().subscribe("jobs/#", message -> {}, workers));
            members.get(i).ready().get(60, TimeUnit.SECONDS);
        }
        members.forEach(Subscription::pause);
        TopicPublisher jobs = running.publisher().topic("jobs/a");
        jobs.announced().get(60, TimeUnit.SECONDS);
        assertThat(lines().get(2)).isEqualTo("  group workers of jobs/#: 2 members");
        await().until(() -> {
            while (jobs.tryPublish(new byte[500]) == PublishResult.PUBLISHED) {
                continue;
            }
            return lines().stream()
                            .filter(line -> line.contains("has been delaying publishers"))
                            .count()
                    == 2;
        });
        assertThat(lines().get(2)).matches("  group workers of jobs/#: 2 members, [0-9,]+ bytes are waiting");
        members.get(0).close();
        members.get(1).resume();
        await().until(() -> lines().get(2).equals("  group workers of jobs/#: 1 member"));
    }

    private List<String> lines() {
        RecordedStreams recorded = new RecordedStreams("rbmq");
        int port = running.broker().adminAddress().getPort();
        String[] arguments = {"topics", "--admin", "127.0.0.1:" + port};
        assertThat(Main.run(arguments, recorded.withoutInput()))
                .as(recorded::err)
                .isZero();
        return recorded.out().lines().toList();
    }
}
