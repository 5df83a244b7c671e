package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.protocol.Greeting;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the last messages of two publishers, whose workers copy them at the same time. */
@Timeout(600)
final class TopicsKeepLastTest {
    private static final BrokerSettings SETTINGS =
            BrokerSettings.from(RunningBroker.config("rbmq.topics = [{ match = t, keep = last }]"));

    private final RocketBufs rocketBufs = RocketBufs.open(RunningBroker.config());
    private final ROut out = new ROut(rocketBufs);
    private final Groups groups = new Groups(
            out, new BufferTopics(), new SlowSubscribers(bufferId -> null), new Drains(out), SETTINGS::groupBatch);
    private final Topics topics = new Topics(
            out,
            new HashTopicTable(),
            groups,
            new BrokerLimits(SETTINGS::limits, new ProcessMemory(), new RefusalCounts()),
            new KeptMessages(() -> SETTINGS.limits().keptBytes(), System::nanoTime));
    private final List<Integer> forgotten = new ArrayList<>();
    private TopicBuffer first;
    private TopicBuffer second;

    @BeforeEach
    void join() throws Exception {
        first = joined(1);
        second = joined(2);
    }

    @AfterEach
    void close() {
        rocketBufs.close();
    }

    private TopicBuffer joined(int number) throws Exception {
        ConnectedPublisher publisher =
                new ConnectedPublisher(number, new Greeting(0, "feed", new byte[0]), connection(), Principals.ALL);
        TopicRule rule = new TopicRules(SETTINGS).of("t", false);
        TopicBuffer buffer = TopicBuffer.of(publisher, "t", rule, 7, 10 * number, 1000);
        topics.join(buffer);
        return buffer;
    }

    private Connection connection() throws Exception {
        CompletableFuture<Connection> accepted = new CompletableFuture<>();
        try (Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0))) {
            listener.setConnectionCallback(accepted::complete);
            rocketBufs
                    .connect(listener.address(), ConnectOptions.as(Role.SUBSCRIBER, client -> {}))
                    .get(60, TimeUnit.SECONDS);
            return accepted.get(60, TimeUnit.SECONDS);
        }
    }

    private KeptMessage copy(TopicBuffer buffer) {
        int id = buffer.bufferId();
        return new KeptMessage("t", id, buffer.publisher().number(), 5, 4096, () -> forgotten.add(id));
    }

    private List<KeptMessage> copies() {
        return topics.read(Topic::keptMessage);
    }

    @Test
    void shouldReleaseACopyThatWasMadeBeforeANewerMessageArrivedWhosePublisherHasLeft() {
        first.received(5);
        KeptMessage older = copy(first);
        second.received(5);
        KeptMessage newer = copy(second);
        topics.leave(second, null, newer);
        topics.leave(first, null, older);
        assertThat(copies()).containsExactly(newer);
        assertThat(forgotten).containsExactly(10);
        assertThat(topics.keptCount()).isEqualTo(1);
        assertThat(topics.keptLength()).isEqualTo(4096);
    }

    @Test
    void shouldReleaseACopyThatIsOutOfDateWhenItsPublisherLeaves() {
        first.received(5);
        KeptMessage older = copy(first);
        second.received(5);
        topics.leave(first, null, older);
        assertThat(forgotten).containsExactly(10);
        assertThat(topics.keptCount()).isZero();
    }

    @Test
    void shouldReleaseTheCopyWhenANewerMessageArrives() {
        first.received(5);
        topics.leave(first, null, copy(first));
        assertThat(topics.keptCount()).isEqualTo(1);
        second.received(5);
        assertThat(forgotten).containsExactly(10);
        assertThat(topics.keptCount()).isZero();
        topics.removeExcess();
        assertThat(forgotten).containsExactly(10);
    }
}
