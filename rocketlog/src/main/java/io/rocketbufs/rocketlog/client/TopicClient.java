package io.rocketbufs.rocketlog.client;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout.TopicEntry;
import io.rocketbufs.rocketlog.protocol.TopicState;
import io.rocketbufs.rocketlog.protocol.TopicStateLayout;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A client that lists, describes, creates and deletes topics. All methods block, so no worker may call them.
 *
 * <p><i>Thread-safety:</i> any thread. <i>Ownership:</i> owns its connection.
 */
public final class TopicClient implements AutoCloseable {
    private final LogConnection connection;
    private final LogClientSettings settings;

    private TopicClient(LogConnection connection, LogClientSettings settings) {
        this.connection = connection;
        this.settings = settings;
    }

    /**
     * Connects to the broker.
     *
     * @throws io.rocketbufs.rocketnet.TransportException if the broker cannot be reached, or refuses
     * @throws LogClientException if it does not answer in time
     */
    public static TopicClient connect(RocketBufs rocketBufs, LogClientSettings settings) {
        CompletableFuture<LogConnection> connecting =
                LogConnection.connect(rocketBufs, settings, made -> {}, failure -> {});
        try {
            return new TopicClient(LogConnection.await(connecting, settings), settings);
        } catch (RuntimeException e) {
            connecting.thenAccept(made -> made.connection().close());
            throw e;
        }
    }

    /** Returns all topics, in the order of their names. */
    public List<TopicEntry> topics() {
        List<TopicEntry> all = new ArrayList<>();
        boolean moreFollow = true;
        while (moreFollow) {
            String after = all.isEmpty() ? "" : all.get(all.size() - 1).name();
            ByteBuffer answer =
                    LogConnection.await(connection.ask(number -> LogMessageLayout.describe(number, after)), settings);
            List<TopicEntry> next = LogMessageLayout.topics(answer);
            all.addAll(next);
            moreFollow = LogMessageLayout.moreFollow(answer) && !next.isEmpty();
        }
        return all;
    }

    /**
     * Creates a topic. Returns when the broker's disk has stored it, even if it already exists with this number of
     * partitions.
     *
     * @throws LogClientException if the broker refuses; the message names the reason
     */
    public void create(String topic, int partitions) {
        create(topic, partitions, LogMessageLayout.ON_DISK);
    }

    /**
     * Creates a topic whose newest records are kept in the broker's memory, and lost when the broker ends.
     *
     * @param capacity memory of each partition in bytes; 0 for the broker's rocketlog.memory.capacity
     * @throws LogClientException if the broker refuses, for example because it has not enough memory
     * @throws IllegalArgumentException if the capacity is negative
     */
    public void createInMemory(String topic, int partitions, long capacity) {
        if (capacity < 0) {
            throw new IllegalArgumentException("topic " + topic + ": capacity=" + capacity + " is negative");
        }
        create(topic, partitions, capacity == 0 ? LogMessageLayout.DEFAULT_CAPACITY : capacity);
    }

    private void create(String topic, int partitions, long capacity) {
        LogConnection.await(
                connection.ask(number -> LogMessageLayout.create(number, topic, partitions, capacity)), settings);
    }

    /**
     * Deletes a topic with all its records. Returns when its files have been deleted. Its producers and consumers fail.
     *
     * @throws LogClientException if the topic does not exist, the broker's settings do not permit it, or the broker's
     *     disk fails; the message names the reason
     */
    public void delete(String topic) {
        LogConnection.await(connection.ask(number -> TopicStateLayout.delete(number, topic)), settings);
    }

    /**
     * Returns the state of a topic.
     *
     * @throws LogClientException if the topic does not exist
     */
    public TopicState state(String topic) {
        List<TopicState.Partition> partitions = new ArrayList<>();
        TopicState state;
        int count;
        do {
            int first = partitions.size();
            ByteBuffer answer = LogConnection.await(
                    connection.ask(number -> TopicStateLayout.examine(number, topic, first)), settings);
            state = TopicStateLayout.state(answer);
            count = TopicStateLayout.partitions(answer);
            partitions.addAll(state.partitions());
            if (partitions.size() == first) {
                throw new TransportException(
                        TransportException.Code.PROTOCOL, "the broker has described no partition of topic " + topic);
            }
        } while (partitions.size() < count);
        return new TopicState(
                state.id(), state.capacity(), state.retentionMs(), state.retentionLength(), List.copyOf(partitions));
    }

    @Override
    public void close() {
        connection.closeAndWait();
    }
}
