package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.Segment;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.ProduceMessageLayout;
import io.rocketbufs.rocketlog.protocol.RefusedRequest;
import io.rocketbufs.text.Reason;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The producers of one client. Each has an input buffer for its batches, and an output buffer with the same id for
 * their results.
 *
 * <p><i>Thread-safety:</i> confined to the connection's worker, except where stated otherwise.
 */
final class ClientProducers {
    /**
     * Minimum capacity of a buffer for results, in bytes. A buffer of this capacity has room for two deliveries of
     * maximum length.
     */
    private static final int SHORTEST_RESULTS = 4096;

    private final Connection connection;
    private final String client;
    private final SessionTerms terms;
    private final ClientAnswers answers;
    private final RIn in;
    private final ROut out;
    /** The producers by buffer id. Other threads look up a producer when its buffer has space again. */
    private final Map<Integer, ProducerInput> producers = new ConcurrentHashMap<>();

    /**
     * Creates an instance without producers. Called in the connection callback.
     *
     * @param client the client's name and address, as log lines contain them
     */
    ClientProducers(Connection connection, String client, SessionTerms terms, ClientAnswers answers) {
        this.connection = connection;
        this.client = client;
        this.terms = terms;
        this.answers = answers;
        this.in = new RIn(connection);
        this.out = new ROut(terms.rocketBufs());
        in.setDataInCallback(this::onDataIn);
        in.setBufferEndCallback(this::onBufferEnd);
        out.setSpaceCallback(this::onSpace);
        out.addConnection(connection);
    }

    /** Returns the number of producers. Called by any thread. */
    int count() {
        return producers.size();
    }

    /** Closes the buffers for results. Called when the connection has ended, after its input buffers have ended. */
    void close() {
        out.close();
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

    /** Handles a request of a producer for the memory of a log. */
    void acquire(int bufferId, LeaseRequest request) {
        ProducerInput producer = producers.get(bufferId);
        if (producer == null) {
            answers.refuse(
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

    /** Handles a request to begin a producer, whose batches arrive in the client's buffer with the given id. */
    void begin(int correlation, int bufferId, LogTopic topic) {
        if (producers.size() >= terms.producersPerConnection()) {
            answers.refuse(
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
            answers.refuse(correlation, wrongBuffer(topic, "bufferId=" + bufferId + " already has a producer"));
            return;
        }
        try {
            subscribe(correlation, bufferId, topic);
        } catch (IllegalStateException e) { // an earlier producer's buffer with this id is still in use
            answers.refuse(correlation, wrongBuffer(topic, e.getMessage()));
        }
    }

    private static RefusedRequest wrongBuffer(LogTopic topic, String reason) {
        return new RefusedRequest(LogRefusal.INVALID, "topic " + topic.name() + ": " + reason, "use another buffer id");
    }

    private void subscribe(int correlation, int bufferId, LogTopic topic) {
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
                answers.sendIfPossible(ProduceMessageLayout.producing(
                        correlation,
                        bufferId,
                        topic.partitions().size(),
                        terms.append().longestBatch(),
                        topic.id()));
            } else {
                abandon(bufferId);
                answers.refuseIfPossible(
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
