package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.rocketlog.broker.LogTopics.RefusedException;
import io.rocketbufs.rocketlog.broker.ProducerInput.AppendTerms;
import io.rocketbufs.rocketlog.protocol.AppendResult;
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
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session of one client, which handles its requests and holds its producers.
 *
 * <p><i>Thread-safety:</i> confined to the connection's worker, except where stated otherwise.
 */
final class LogClientSession {
    private static final Logger LOG = LoggerFactory.getLogger(LogClientSession.class);
    /**
     * Minimum capacity of a buffer for results, in bytes. A buffer of this capacity has room for two deliveries of
     * maximum length.
     */
    private static final int SHORTEST_RESULTS = 4096;

    private final Connection connection;
    private final String name;
    private final String client;
    private final Instant connectedAt = Instant.now();
    private final SessionTerms terms;
    private final RIn in;
    private final ROut out;
    /** The producers by buffer id. Other threads look up a producer when its buffer has space again. */
    private final Map<Integer, ProducerInput> producers = new ConcurrentHashMap<>();

    private final OpenSegments segments;

    /**
     * State shared by all sessions of a broker.
     *
     * @param rocketBufs the broker's RocketBufs
     * @param topics the broker's topics
     * @param diskTasks runs tasks that wait for the disk, one at a time
     * @param append state shared by all producers
     * @param produce the limits of producers
     * @param producersPerConnection maximum number of producers of one client
     * @param consume state shared by all consumers
     * @param leases state shared by the leases of all producers
     * @param deletions state shared by the deletions of all topics
     */
    record SessionTerms(
            RocketBufs rocketBufs,
            LogTopics topics,
            DiskTasks diskTasks,
            AppendTerms append,
            LogBrokerSettings.Produce produce,
            int producersPerConnection,
            ConsumerTerms consume,
            LeaseTerms leases,
            TopicDeletion.Terms deletions) {}

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
        this.in = new RIn(connection);
        this.out = new ROut(terms.rocketBufs());
        this.segments = new OpenSegments(connection, client, terms.consume());
        in.setDataInCallback(this::onDataIn);
        in.setBufferEndCallback(this::onBufferEnd);
        out.setSpaceCallback(this::onSpace);
        out.addConnection(connection);
        connection.setControlMessageCallback(this::onMessage);
    }

    /** Returns the text that identifies a client in log lines. No name can imitate another client's text. */
    static String description(String name, String address) {
        return name.isEmpty() ? address : "\"" + name.replace('"', '\'') + "\" at " + address;
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
        return producers.size();
    }

    /** Called when the connection has ended, after its input buffers have ended. */
    void onClosed(Throwable failure) {
        out.close();
        segments.close();
        if (failure == null) {
            LOG.debug("{} left", client);
        } else if (failure instanceof TransportException known && !known.isInternal()) {
            LOG.warn("{} left: {}", client, failure.getMessage());
        } else {
            LOG.error("{} left: {}", client, failure.getMessage(), failure);
        }
    }

    private void onDataIn(int bufferId, Segment data) {
        ProducerInput producer = producers.get(bufferId);
        if (producer != null) {
            producer.onData();
        }
    }

    private void onBufferEnd(int bufferId, String failure) {
        ProducerInput producer = producers.remove(bufferId);
        if (producer != null) {
            producer.onEnd();
            out.removeBuffer(bufferId);
        }
    }

    private void onSpace(int bufferId) {
        ProducerInput producer = producers.get(bufferId);
        if (producer != null) {
            producer.onSpace();
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
            case PRODUCE ->
                produce(
                        correlation,
                        ProduceMessageLayout.bufferId(message),
                        find(correlation, ProduceMessageLayout.topic(message), ProduceMessageLayout.topicId(message)));
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
                acquire(
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

    private void acquire(int bufferId, LeaseRequest request) {
        ProducerInput producer = producers.get(bufferId);
        if (producer == null) {
            refuse(
                    request.correlation(),
                    new RefusedRequest(
                            LogRefusal.INVALID,
                            "partition " + request.partition() + ": bufferId=" + bufferId
                                    + " has no producer, so the topic is unknown",
                            "announce the producer with PRODUCE before requesting access to a log"));
        } else {
            producer.leases().acquire(request);
        }
    }

    private int possibleExcess() {
        return producers.values().stream()
                .mapToInt(ProducerInput::possibleExcess)
                .sum();
    }

    /** Ends all leases of the client. Called by any thread. */
    void endLeases() {
        connection.execute(
                () -> producers.values().forEach(producer -> producer.leases().end()));
    }

    /**
     * Creates a topic. If the request can succeed only after a pending deletion has ended, retries it at that time.
     * Called by any thread.
     */
    private void create(int correlation, NewTopic topic) {
        boolean isAccepted = terms.diskTasks()
                .answer(
                        () -> createNow(correlation, topic),
                        failure -> answer(
                                correlation,
                                new RefusedRequest(
                                        LogRefusal.STORAGE,
                                        "topic " + PlainText.of(topic.name())
                                                + " may exist or not, because the broker has failed: "
                                                + Reason.of(failure),
                                        "see its log, and create the topic again")));
        if (!isAccepted) {
            answer(correlation, busy("topic " + PlainText.of(topic.name())));
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
            answer(TopicMessageLayout.created(correlation));
        } catch (RefusedException e) {
            boolean mayEnd = e.kind() == LogRefusal.NOT_NOW || e.kind() == LogRefusal.LIMIT;
            Runnable again = () -> {
                if (connection.isOpen()) { // a disconnected client no longer waits for the topic
                    create(correlation, topic);
                }
            };
            if (!mayEnd || !terms.topics().afterDeletion(again)) {
                answer(correlation, e.refusal());
            }
        }
    }

    /** Returns the refusal of a request for which there is no room in the queue of the disk. */
    private static RefusedRequest busy(String subject) {
        return new RefusedRequest(LogRefusal.LIMIT, subject + ": too many tasks wait for the disk", "try again later");
    }

    /** Sends a refusal to the client, unless it has disconnected. Called by any thread. */
    private void answer(int correlation, RefusedRequest refusal) {
        answer(LogMessageLayout.refused(correlation, refusal));
    }

    /** Sends a response to the client, unless it has disconnected. Called by any thread. */
    private void answer(ByteBuffer message) {
        try {
            connection.sendControlMessage(message);
        } catch (TransportException e) {
            LOG.debug("{} cannot be sent a response: {}", client, e.getMessage());
        }
    }

    private void refuse(int correlation, RefusedRequest refusal) {
        connection.sendControlMessage(LogMessageLayout.refused(correlation, refusal));
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
            refuse(correlation, topic.refusal());
            return null;
        }
        if (topic != null && (isAny || topic.id() == id)) {
            return topic;
        }
        String problem = isAny ? " does not exist" : " was deleted";
        String others = topic == null || isAny ? "" : "; another topic with this name was created since";
        refuse(
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
            refuse(correlation, denial);
            return;
        }
        TopicDeletion deletion =
                new TopicDeletion(terms.deletions(), name, refusal -> onDeleted(correlation, name, refusal));
        boolean isAccepted = terms.diskTasks()
                .answer(
                        deletion::start,
                        failure -> answer(
                                correlation,
                                new RefusedRequest(
                                        LogRefusal.STORAGE,
                                        "topic " + PlainText.of(name) + " may exist or not, because the broker has"
                                                + " failed: " + Reason.of(failure),
                                        "see its log, and delete the topic again")));
        if (!isAccepted) {
            refuse(correlation, busy("topic " + PlainText.of(name)));
        }
    }

    private void onDeleted(int correlation, String name, RefusedException refusal) {
        if (refusal == null) {
            LOG.info("{} has deleted topic {}", client, name);
            answer(TopicStateLayout.deleted(correlation));
        } else {
            LOG.warn("{} cannot delete a topic: {}", client, refusal.getMessage());
            answer(correlation, refusal.refusal());
        }
    }

    private void examine(int correlation, String name, int first) {
        LogTopic topic = find(correlation, name, LogMessageLayout.ANY_TOPIC);
        if (topic == null) {
            return;
        }
        int count = topic.partitions().size();
        if (first < 0 || first >= count) {
            refuse(correlation, topic.noPartition(LogRefusal.NO_SUCH_TOPIC, first));
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
            refuse(correlation, topic.noPartition(LogRefusal.NO_SUCH_TOPIC, number));
            return;
        }
        try {
            int slot = segments.reserve(partition);
            boolean isAccepted = terms.diskTasks()
                    .answer(
                            () -> answerOpen(correlation, () -> segments.open(slot, partition, topic, kind, value)),
                            failure -> answer(
                                    correlation,
                                    new RefusedRequest(
                                            LogRefusal.STORAGE,
                                            partition.name() + ": the segment cannot be opened, because the broker has"
                                                    + " failed: " + Reason.of(failure),
                                            "see its log, then read again")));
            if (!isAccepted) {
                segments.cancel(slot);
                refuse(correlation, busy(partition.name()));
            }
        } catch (RefusedException e) {
            refuse(correlation, e.refusal());
        }
    }

    /** The action that opens a segment, on the thread that waits for the disk. */
    private interface SegmentOpening {
        OpenedSegment open() throws RefusedException;
    }

    private void answerOpen(int correlation, SegmentOpening opening) {
        try {
            answer(SegmentMessageLayout.opened(correlation, opening.open()));
        } catch (RefusedException e) {
            answer(correlation, e.refusal());
        }
    }

    private void produce(int correlation, int bufferId, LogTopic topic) {
        if (topic == null) {
            return; // refused
        }
        if (producers.size() >= terms.producersPerConnection()) {
            refuse(
                    correlation,
                    new RefusedRequest(
                            LogRefusal.LIMIT,
                            "topic " + topic.name() + ": this connection already has"
                                    + " rocketlog.limits.producers-per-connection=" + terms.producersPerConnection()
                                    + " producers",
                            "use another connection, or raise the limit"));
            return;
        }
        if (producers.containsKey(bufferId)) {
            refuse(correlation, wrongBuffer(topic, "bufferId=" + bufferId + " already has a producer"));
            return;
        }
        try {
            begin(correlation, bufferId, topic);
        } catch (IllegalStateException e) { // an earlier producer's buffer with this id is still in use
            refuse(correlation, wrongBuffer(topic, e.getMessage()));
        }
    }

    private static RefusedRequest wrongBuffer(LogTopic topic, String reason) {
        return new RefusedRequest(LogRefusal.INVALID, "topic " + topic.name() + ": " + reason, "use another buffer id");
    }

    private void begin(int correlation, int bufferId, LogTopic topic) {
        long results = Math.max(SHORTEST_RESULTS, 2L * terms.produce().window() * AppendResult.LENGTH);
        // The buffer holds data for its first subscriber, because the producer may send batches before it subscribes to
        // the results.
        out.createBuffer(bufferId, results, BufferOptions.DEFAULTS.withHold(true));
        producers.put(
                bufferId,
                new ProducerInput(
                        connection,
                        in,
                        out,
                        bufferId,
                        topic,
                        terms.append(),
                        producer -> new ProducerLeases(
                                connection, client, topic, terms.leases(), producer, this::possibleExcess)));
        CompletableFuture<Void> subscribed;
        try {
            subscribed = in.subscribe(bufferId, terms.produce().ringCapacity());
        } catch (RuntimeException e) {
            abandon(bufferId);
            throw e;
        }
        subscribed.whenComplete((nothing, failure) -> {
            if (failure == null) {
                answer(ProduceMessageLayout.producing(
                        correlation,
                        bufferId,
                        topic.partitions().size(),
                        terms.append().longestBatch(),
                        topic.id()));
            } else {
                abandon(bufferId);
                answer(
                        correlation,
                        new RefusedRequest(
                                LogRefusal.INVALID,
                                "topic " + topic.name() + ": the broker cannot subscribe to bufferId=" + bufferId + ": "
                                        + Reason.of(failure),
                                "create a buffer with this id before sending PRODUCE"));
            }
        });
    }

    private void abandon(int bufferId) {
        producers.remove(bufferId);
        out.removeBuffer(bufferId);
    }
}
