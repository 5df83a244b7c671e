package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.Listener;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.rbmq.RawClient;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of a session whose requests fail because of an error in the broker. */
@Tag("once")
@Timeout(600)
final class SubscriberSessionTest {
    private static final BrokerSettings.Limits LIMITS =
            new BrokerSettings.Limits(1000, 1000, 1000, 1000, Long.MAX_VALUE, 1000, 1000, 1000, 0);

    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
    private final RocketBufs rocketBufs = RocketBufs.open(RunningBroker.config());
    private final BrokenTable table = new BrokenTable();
    private final ROut out = new ROut(rocketBufs);
    private final Groups groups =
            new Groups(out, new BufferTopics(), new SlowSubscribers(bufferId -> null), new Drains(out), () -> 16);
    private final BrokerLimits limits = new BrokerLimits(() -> LIMITS, new ProcessMemory(), new RefusalCounts());
    private final Topics topics = new Topics(out, table, groups, limits, new KeptMessages(() -> 0, System::nanoTime));

    @AfterEach
    void close() {
        rocketBufs.close();
        timer.shutdownNow();
    }

    @Test
    void shouldForgetAReaderThatAnErrorHasAddedOnlyInPart() throws Exception {
        table.getOrCreate("t");
        Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        listener.setConnectionCallback(connection -> {
            SubscriberSession session = new SubscriberSession(
                    topics,
                    new SlowSubscribers(bufferId -> null),
                    new LongAdder(),
                    connection,
                    GreetingLayout.read(connection.greeting()),
                    Principals.ALL,
                    limits,
                    InboxName.random(),
                    timer);
            connection.setCloseCallback(session::onClosed);
        });
        RawClient client =
                new RawClient(rocketBufs, listener.address(), Role.SUBSCRIBER, GreetingLayout.write("raw", ""));
        client.send(TopicLayout.write(1, null, "#"));
        assertThat(client.awaitCut()).isNotNull();
        assertThat(table.wasAsked).isTrue();
        await().until(() -> topics.read(each -> each.readers().size()).equals(List.of(0)));
    }

    /** A table that lists a topic and then null. */
    private static final class BrokenTable implements TopicTable {
        private final TopicTable topics = new HashTopicTable();
        private volatile boolean wasAsked;

        @Override
        public Topic getOrCreate(String name) {
            return topics.getOrCreate(name);
        }

        @Override
        public Topic get(String name) {
            return topics.get(name);
        }

        @Override
        public void remove(Topic topic) {
            topics.remove(topic);
        }

        @Override
        public Collection<Topic> all() {
            return topics.all();
        }

        @Override
        public List<Topic> notEmpty(TopicFilter filter) {
            wasAsked = true;
            return Arrays.asList(topics.get("t"), null);
        }

        @Override
        public int count() {
            return topics.count();
        }
    }
}
