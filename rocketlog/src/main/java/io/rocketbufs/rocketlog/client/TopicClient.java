package io.rocketbufs.rocketlog.client;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.protocol.LogTopicOptions;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout.NewTopic;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout.TopicEntry;
import io.rocketbufs.rocketlog.protocol.TopicState;
import io.rocketbufs.rocketlog.protocol.TopicStateLayout;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A client that lists, describes, creates, and deletes topics. All methods block, so no worker may call them.
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
     * @throws io.rocketbufs.rocketnet.TransportException if the broker cannot be reached, or refuses the connection
     * @throws LogClientException if the broker does not respond in time
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

    /** Returns all topics, sorted by name. */
    public List<TopicEntry> topics() {
        List<TopicEntry> all = new ArrayList<>();
        boolean moreFollow = true;
        while (moreFollow) {
            String after = all.isEmpty() ? "" : all.get(all.size() - 1).name();
            ByteBuffer answer =
                    LogConnection.await(connection.ask(number -> TopicMessageLayout.describe(number, after)), settings);
            List<TopicEntry> next = TopicMessageLayout.topics(answer);
            all.addAll(next);
            moreFollow = TopicMessageLayout.moreFollow(answer) && !next.isEmpty();
        }
        return all;
    }

    /**
     * Creates a topic. Returns when the broker's disk has stored the topic. Also succeeds if the topic already exists
     * with this number of partitions. If a topic with this name was deleted, waits until the broker has removed its
     * files.
     *
     * @throws LogClientException if the broker refuses the request; the message names the reason. The code is TIMEOUT
     *     if the broker did not respond within {@code rocketlog.client.connect-timeout}; the broker may still create
     *     the topic later
     */
    public void create(String topic, int partitions) {
        create(topic, partitions, LogTopicOptions.NONE);
    }

    /**
     * Creates a topic like {@link #create(String, int)}, with options that override those of the broker. If the topic
     * already exists, it must have the same values for all options that are set.
     */
    public void create(String topic, int partitions, LogTopicOptions options) {
        create(new NewTopic(topic, partitions, TopicMessageLayout.ON_DISK, options));
    }

    /**
     * Creates a topic whose records are kept in the broker's memory. Only the newest records are kept, and they are
     * lost when the broker stops.
     *
     * @param capacity memory of each partition in bytes; 0 stands for the broker's rocketlog.memory.capacity
     * @throws LogClientException if the broker refuses the request, for example because it does not have enough memory
     * @throws IllegalArgumentException if the capacity is negative
     */
    public void createInMemory(String topic, int partitions, long capacity) {
        if (capacity < 0) {
            throw new IllegalArgumentException("topic " + topic + ": capacity=" + capacity + " is negative");
        }
        long requested = capacity == 0 ? TopicMessageLayout.DEFAULT_CAPACITY : capacity;
        create(new NewTopic(topic, partitions, requested, LogTopicOptions.NONE));
    }

    private void create(NewTopic topic) {
        LogConnection.await(connection.ask(number -> TopicMessageLayout.create(number, topic)), settings);
    }

    /**
     * Deletes a topic and all its records. When this method returns, the topic no longer exists, even after a crash;
     * the broker removes its files afterwards. The topic's producers and consumers fail.
     *
     * @throws LogClientException if the topic does not exist, the broker's settings do not permit the deletion, or the
     *     broker's disk fails; the message names the reason
     */
    public void delete(String topic) {
        LogConnection.await(connection.ask(number -> TopicStateLayout.delete(number, topic)), settings);
    }

    /**
     * Returns the state of a topic. If the topic is deleted and recreated during the call, returns the state of the new
     * topic.
     *
     * @throws LogClientException if the topic does not exist
     */
    public TopicState state(String topic) {
        TopicState state = null;
        while (state == null) {
            state = statePages(topic);
        }
        return state;
    }

    /**
     * Returns the combined content of all pages of the state, or null if the pages belong to different topics of this
     * name.
     */
    private TopicState statePages(String topic) {
        List<TopicState.Partition> partitions = new ArrayList<>();
        TopicState first = null;
        int count;
        do {
            ByteBuffer answer = statePage(topic, partitions.size());
            TopicState page = answer == null ? null : TopicStateLayout.state(answer);
            if (page == null || first != null && page.id() != first.id()) {
                return null;
            }
            if (page.partitions().isEmpty()) {
                throw new TransportException(
                        TransportException.Code.PROTOCOL, "the broker described no partition of topic " + topic);
            }
            first = first == null ? page : first;
            count = TopicStateLayout.partitions(answer);
            partitions.addAll(page.partitions());
        } while (partitions.size() < count);
        return new TopicState(
                first.id(), first.capacity(), first.ownOptions(), first.options(), List.copyOf(partitions));
    }

    /** Returns a page of the state, or null if the topic has been deleted since the first page. */
    private ByteBuffer statePage(String topic, int firstPartition) {
        try {
            return LogConnection.await(
                    connection.ask(number -> TopicStateLayout.examine(number, topic, firstPartition)), settings);
        } catch (LogClientException e) {
            if (firstPartition > 0 && e.code() == LogClientException.Code.NO_SUCH_TOPIC) {
                return null;
            }
            throw e;
        }
    }

    @Override
    public void close() {
        connection.closeAndWait();
    }
}
