package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.rocketlog.broker.LogTopics.RefusedException;
import io.rocketbufs.rocketlog.protocol.LeaseMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogGreetingLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageType;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.ProduceMessageLayout;
import io.rocketbufs.rocketlog.protocol.RefusedRequest;
import io.rocketbufs.rocketlog.protocol.SegmentMessageLayout;
import io.rocketbufs.rocketlog.protocol.SegmentMessageLayout.OpenedSegment;
import io.rocketbufs.rocketlog.protocol.StartKind;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout.NewTopic;
import io.rocketbufs.rocketlog.protocol.TopicStateLayout;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.PlainText;
import io.rocketbufs.text.Reason;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session of one client, which handles its requests and holds its producers.
 *
 * <p><i>Thread-safety:</i> confined to the connection's worker, except where stated otherwise.
 */
final class LogClientSession {
    private static final Logger LOG = LoggerFactory.getLogger(LogClientSession.class);
    private final Connection connection;
    private final String name;
    private final String client;
    private final Instant connectedAt = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    private final SessionTerms terms;
    private final ClientAnswers answers;
    private final ClientProducers producers;
    private final OpenSegments segments;

    /**
     * Starts a session. Called in the connection callback.
     *
     * @param name name of the client, see {@link LogGreetingLayout#name}
     */
    LogClientSession(Connection connection, String name, SessionTerms terms) {
        this.connection = connection;
        this.name = name;
        this.client = description(name, connection.peer());
        this.terms = terms;
        this.answers = new ClientAnswers(connection, client);
        this.producers = new ClientProducers(connection, client, terms, answers);
        this.segments = new OpenSegments(connection, client, terms.consume());
        connection.setControlMessageCallback(this::onMessage);
    }

    /** Returns the text that identifies a client in log lines. No name can imitate another client's text. */
    static String description(String name, String address) {
        return name.isEmpty() ? address : PlainText.quoted(name) + " at " + address;
    }

    Connection connection() {
        return connection;
    }

    /** Returns the client's name and address, as log lines contain them. */
    String client() {
        return client;
    }

    /** Returns the client's fields on the page of clients. Called by any thread. */
    Map<String, Object> json() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", name);
        fields.put("address", connection.peer());
        fields.put("transport", connection.transport());
        fields.put("connectedAt", connectedAt.toString());
        fields.put("producers", producerCount());
        fields.put("openSegments", segments.count());
        return fields;
    }

    /** Returns the number of the client's producers. Called by any thread. */
    int producerCount() {
        return producers.count();
    }

    /** Ends all leases of the client. Called by any thread. */
    void endLeases() {
        producers.endLeases();
    }

    /** Called when the connection has ended, after its input buffers have ended. */
    void onClosed(Throwable failure) {
        producers.close();
        segments.close();
        if (failure == null) {
            LOG.debug("{} left", client);
        } else if (failure instanceof TransportException known && !known.isInternal()) {
            LOG.warn("{} left: {}", client, failure.getMessage());
        } else {
            LOG.error("{} left: {}", client, failure.getMessage(), failure);
        }
    }

    private void onMessage(ByteBuffer message) {
        LogMessageType type = LogMessageLayout.type(message);
        if (!terms.topics().counters().requests.add(type)) {
            throw new TransportException(TransportException.Code.PROTOCOL, "a client must not send " + type);
        }
        int correlation = LogMessageLayout.correlation(message);
        switch (type) {
            case DESCRIBE ->
                connection.sendControlMessage(TopicMessageLayout.described(
                        correlation,
                        terms.topics().after(TopicMessageLayout.after(message)),
                        connection.longestControlMessage()));
            case CREATE -> create(correlation, TopicMessageLayout.topicToCreate(message));
            case DELETE -> delete(correlation, TopicStateLayout.topicToDelete(message));
            case EXAMINE ->
                examine(correlation, TopicStateLayout.topic(message), TopicStateLayout.firstPartition(message));
            case PRODUCE -> {
                LogTopic topic =
                        find(correlation, ProduceMessageLayout.topic(message), ProduceMessageLayout.topicId(message));
                if (topic != null) {
                    producers.begin(correlation, ProduceMessageLayout.bufferId(message), topic);
                }
            }
            case OPEN ->
                open(
                        correlation,
                        find(
                                correlation,
                                SegmentMessageLayout.openTopic(message),
                                SegmentMessageLayout.openTopicId(message)),
                        SegmentMessageLayout.openPartition(message),
                        SegmentMessageLayout.openKind(message),
                        SegmentMessageLayout.openValue(message));
            case ACQUIRE ->
                producers.acquire(
                        LeaseMessageLayout.bufferId(message),
                        new LeaseRequest(
                                correlation,
                                LeaseMessageLayout.partitionToAcquire(message),
                                LeaseMessageLayout.modeToAcquire(message),
                                LeaseMessageLayout.producerToAcquire(message)));
            case CLOSE -> segments.close(SegmentMessageLayout.slot(message));
            case WAIT -> segments.await(message);
            default -> throw new IllegalStateException(type + " is counted as a request but not handled");
        }
    }

    /**
     * Creates a topic. If the request can succeed only after a pending deletion has ended, retries it at that time.
     * Called by any thread.
     */
    private void create(int correlation, NewTopic topic) {
        boolean isAccepted = terms.diskTasks()
                .answer(
                        () -> createNow(correlation, topic),
                        failure -> answers.refuseIfPossible(
                                correlation,
                                new RefusedRequest(
                                        LogRefusal.STORAGE,
                                        "topic " + PlainText.of(topic.name())
                                                + " may exist or not, because the broker has failed: "
                                                + Reason.of(failure),
                                        "see its log, and create the topic again")));
        if (!isAccepted) {
            answers.refuseIfPossible(correlation, busy("topic " + PlainText.of(topic.name())));
        }
    }

    private void createNow(int correlation, NewTopic topic) {
        try {
            terms.topics().create(topic);
            LOG.info(
                    "{} has created topic {} with {} {}",
                    client,
                    topic.name(),
                    topic.partitions(),
                    topic.partitions() == 1 ? "partition" : "partitions");
            answers.sendIfPossible(TopicMessageLayout.created(correlation));
        } catch (RefusedException e) {
            boolean mayEnd = e.kind() == LogRefusal.NOT_NOW || e.kind() == LogRefusal.LIMIT;
            Runnable again = () -> {
                if (connection.isOpen()) { // a disconnected client no longer waits for the topic
                    create(correlation, topic);
                }
            };
            if (!mayEnd || !terms.topics().afterDeletion(again)) {
                answers.refuseIfPossible(correlation, e.refusal());
            }
        }
    }

    /** Returns the refusal of a request for which there is no room in the queue of the disk. */
    private static RefusedRequest busy(String subject) {
        return new RefusedRequest(LogRefusal.LIMIT, subject + ": too many tasks wait for the disk", "try again later");
    }

    /**
     * Returns a topic. If the topic does not exist, or is damaged, refuses the request and returns null.
     *
     * @param id the topic id that the client holds; a topic that has since been recreated with the same name has a
     *     different id
     */
    private LogTopic find(int correlation, String name, long id) {
        LogTopic topic = terms.topics().topic(name);
        boolean isAny = id == LogMessageLayout.ANY_TOPIC;
        if (topic != null && topic.refusal() != null) {
            answers.refuse(correlation, topic.refusal());
            return null;
        }
        if (topic != null && (isAny || topic.id() == id)) {
            return topic;
        }
        String problem = isAny ? " does not exist" : " was deleted";
        String others = topic == null || isAny ? "" : "; another topic with this name was created since";
        answers.refuse(
                correlation,
                new RefusedRequest(
                        LogRefusal.NO_SUCH_TOPIC,
                        "topic " + PlainText.of(name) + problem + others,
                        isAny
                                ? "create it with: rocketlog topics create NAME --partitions N"
                                : "create it again if necessary, and restart this client"));
        return null;
    }

    private void delete(int correlation, String name) {
        RefusedRequest denial = terms.deletions().denial(PlainText.of(name));
        if (denial != null) {
            answers.refuse(correlation, denial);
            return;
        }
        TopicDeletion deletion =
                new TopicDeletion(terms.deletions(), name, refusal -> onDeleted(correlation, name, refusal));
        boolean isAccepted = terms.diskTasks()
                .answer(
                        deletion::start,
                        failure -> answers.refuseIfPossible(
                                correlation,
                                new RefusedRequest(
                                        LogRefusal.STORAGE,
                                        "topic " + PlainText.of(name) + " may exist or not, because the broker has"
                                                + " failed: " + Reason.of(failure),
                                        "see its log, and delete the topic again")));
        if (!isAccepted) {
            answers.refuse(correlation, busy("topic " + PlainText.of(name)));
        }
    }

    private void onDeleted(int correlation, String name, RefusedException refusal) {
        if (refusal == null) {
            LOG.info("{} has deleted topic {}", client, name);
            answers.sendIfPossible(TopicStateLayout.deleted(correlation));
        } else {
            LOG.warn("{} cannot delete a topic: {}", client, refusal.getMessage());
            answers.refuseIfPossible(correlation, refusal.refusal());
        }
    }

    private void examine(int correlation, String name, int first) {
        LogTopic topic = find(correlation, name, LogMessageLayout.ANY_TOPIC);
        if (topic == null) {
            return;
        }
        int count = topic.partitions().size();
        if (first < 0 || first >= count) {
            answers.refuse(correlation, topic.noPartition(LogRefusal.NO_SUCH_TOPIC, first));
            return;
        }
        connection.sendControlMessage(TopicStateLayout.examined(
                correlation,
                terms.topics().state(topic),
                count,
                topic.partitions().subList(first, count).stream()
                        .map(LogPartition::state)
                        .iterator(),
                connection.longestControlMessage()));
    }

    private void open(int correlation, LogTopic topic, int number, StartKind kind, long value) {
        if (topic == null) {
            return; // refused
        }
        LogPartition partition = topic.partition(number);
        if (partition == null) {
            answers.refuse(correlation, topic.noPartition(LogRefusal.NO_SUCH_TOPIC, number));
            return;
        }
        try {
            int slot = segments.reserve(partition);
            boolean isAccepted = terms.diskTasks()
                    .answer(
                            () -> answerOpen(correlation, () -> segments.open(slot, partition, topic, kind, value)),
                            failure -> answers.refuseIfPossible(
                                    correlation,
                                    new RefusedRequest(
                                            LogRefusal.STORAGE,
                                            partition.name() + ": the segment cannot be opened, because the broker has"
                                                    + " failed: " + Reason.of(failure),
                                            "see its log, then read again")));
            if (!isAccepted) {
                segments.cancel(slot);
                answers.refuse(correlation, busy(partition.name()));
            }
        } catch (RefusedException e) {
            answers.refuse(correlation, e.refusal());
        }
    }

    /** The action that opens a segment, on the thread that waits for the disk. */
    private interface SegmentOpening {
        OpenedSegment open() throws RefusedException;
    }

    private void answerOpen(int correlation, SegmentOpening opening) {
        try {
            answers.sendIfPossible(SegmentMessageLayout.opened(correlation, opening.open()));
        } catch (RefusedException e) {
            answers.refuseIfPossible(correlation, e.refusal());
        }
    }
}
