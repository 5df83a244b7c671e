package io.rocketbufs.rocketlog.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.LogTopicOptions;
import io.rocketbufs.rocketlog.protocol.RefusedRequest;
import io.rocketbufs.rocketlog.protocol.TopicState;
import io.rocketbufs.rocketlog.protocol.TopicStateLayout;
import io.rocketbufs.rocketnet.TransportException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of describing a topic that is deleted and recreated while the pages of its state are fetched. */
@Timeout(600)
final class TopicClientTest {
    @TempDir
    Path folder;

    private final Queue<IntFunction<ByteBuffer>> answers = new ConcurrentLinkedQueue<>();
    private final List<Integer> asked = Collections.synchronizedList(new ArrayList<>());
    private RocketBufs rocketBufs;
    private TopicClient topics;

    @BeforeEach
    void start() {
        rocketBufs = RocketBufs.open(RunningLogBroker.config(folder));
        Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        listener.setConnectionCallback(
                connection -> connection.setControlMessageCallback(message -> onMessage(connection, message)));
        topics = TopicClient.connect(
                rocketBufs,
                LogClientSettings.from(RunningLogBroker.config(folder)).withBroker(listener.address()));
    }

    @AfterEach
    void end() {
        topics.close();
        rocketBufs.close();
    }

    private void onMessage(Connection connection, ByteBuffer message) {
        asked.add(TopicStateLayout.firstPartition(message));
        connection.sendControlMessage(answers.remove().apply(LogMessageLayout.correlation(message)));
    }

    /**
     * Adds a page with partitions of one topic. The next offset of a partition is derived from the topic's id and the
     * partition's number.
     */
    private void answerPage(long id, int partitions, int first, int end) {
        List<TopicState.Partition> states = IntStream.range(first, end)
                .mapToObj(i -> new TopicState.Partition(0, id * 100 + i, 0, 0, 1, "", ""))
                .toList();
        answers.add(number -> TopicStateLayout.examined(
                number,
                new TopicState(id, 0, LogTopicOptions.NONE, TopicState.IN_MEMORY, List.of()),
                partitions,
                states.iterator(),
                100_000));
    }

    private void refuse(String problem) {
        RefusedRequest refusal = new RefusedRequest(LogRefusal.NO_SUCH_TOPIC, problem, "create it");
        answers.add(number -> LogMessageLayout.refused(number, refusal));
    }

    private void assertState(long id, int partitions) {
        TopicState state = topics.state("orders");
        assertThat(state.id()).isEqualTo(id);
        assertThat(state.partitions()).hasSize(partitions);
        for (int i = 0; i < partitions; i++) {
            assertThat(state.partitions().get(i).nextOffset()).isEqualTo(id * 100 + i);
        }
    }

    @Test
    void shouldStartAgainWhenAPageBelongsToAnotherTopicOfThisName() {
        answerPage(1, 5, 0, 2);
        answerPage(2, 4, 2, 4);
        answerPage(2, 4, 0, 3);
        answerPage(2, 4, 3, 4);
        assertState(2, 4);
        assertThat(asked).containsExactly(0, 2, 0, 3);
    }

    @Test
    void shouldStartAgainWhenTheOtherTopicHasFewerPartitions() {
        answerPage(1, 5, 0, 2);
        refuse("topic orders has no partition 2: partitions=1");
        answerPage(2, 1, 0, 1);
        assertState(2, 1);
        assertThat(asked).containsExactly(0, 2, 0);
    }

    @Test
    void shouldFailWhenTheTopicIsDeletedBetweenTwoPages() {
        answerPage(1, 5, 0, 2);
        refuse("topic orders does not exist");
        refuse("topic orders does not exist");
        assertThatExceptionOfType(LogClientException.class)
                .isThrownBy(() -> topics.state("orders"))
                .withMessage("topic orders does not exist; create it")
                .matches(e -> e.code() == LogClientException.Code.NO_SUCH_TOPIC);
    }

    @Test
    void shouldNotWaitForeverForABrokerThatDescribesNoPartition() {
        answerPage(1, 5, 0, 0);
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> topics.state("orders"))
                .withMessage("the broker described no partition of topic orders");
    }
}
