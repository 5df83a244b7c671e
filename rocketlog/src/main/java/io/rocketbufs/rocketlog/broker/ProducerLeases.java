package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The leases of one producer, at most one for each partition, and the answers to its ACQUIRE messages.
 *
 * <p><i>Thread-safety:</i> the connection's worker, except where a method says otherwise.
 */
final class ProducerLeases {
    private final Connection connection;
    private final String client;
    private final LogTopic topic;
    private final LeaseTerms terms;
    private final ProducerInput producer;
    private final Map<Integer, ExclusiveLease> leases = new HashMap<>();
    private boolean hasEnded;

    ProducerLeases(Connection connection, String client, LogTopic topic, LeaseTerms terms, ProducerInput producer) {
        this.connection = connection;
        this.client = client;
        this.topic = topic;
        this.terms = terms;
        this.producer = producer;
    }

    /** Returns the number of leases that have not ended. */
    int count() {
        return leases.size();
    }

    /** Begins a lease. If the producer already has one of this partition, that one is ended first. */
    void acquire(int correlation, int number) {
        LogPartition partition = topic.partition(number);
        if (partition == null) {
            refuse(
                    correlation,
                    LogRefusal.INVALID,
                    "topic " + topic.name() + " has no partition " + number + ": partitions="
                            + topic.partitions().size());
            return;
        }
        ExclusiveLease former = leases.get(number);
        if (former != null) {
            former.endThen(() -> acquire(correlation, number));
            return;
        }
        String denial = terms.denial(topic.name());
        String withdrawal = terms.withdrawal(connection.peer());
        if (denial != null) {
            refuse(correlation, LogRefusal.DENIED, denial);
        } else if (withdrawal != null) {
            refuse(correlation, LogRefusal.MODE_UNAVAILABLE, withdrawal);
        } else if (hasEnded || leases.size() >= terms.leasesPerProducer()) {
            refuse(
                    correlation,
                    LogRefusal.NOT_NOW,
                    partition.name() + ": the producer has as many leases as"
                            + " rocketlog.limits.segments-per-connection=" + terms.leasesPerProducer() + " allows");
        } else {
            begin(correlation, number, partition);
        }
    }

    private void begin(int correlation, int number, LogPartition partition) {
        ExclusiveLease lease = new ExclusiveLease(this, partition, number, terms);
        if (partition.beginLease(lease)) {
            leases.put(number, lease);
            terms.add(this);
            lease.open(correlation);
        } else {
            refuse(correlation, LogRefusal.NOT_NOW, partition.name() + ": another producer appends");
        }
    }

    /** Removes a lease that has ended. */
    void remove(ExclusiveLease ended) {
        leases.remove(ended.number());
        if (leases.isEmpty()) {
            terms.remove(this);
        }
    }

    /** Ends all leases. */
    void end() {
        hasEnded = true;
        List.copyOf(leases.values()).forEach(ExclusiveLease::end);
    }

    Connection connection() {
        return connection;
    }

    ProducerInput producer() {
        return producer;
    }

    String client() {
        return client;
    }

    /** Refuses a question; any thread. */
    void refuse(int correlation, LogRefusal kind, String reason) {
        answer(LogMessageLayout.refused(correlation, kind, reason));
    }

    /** Answers a question; any thread. The client may have left. */
    void answer(ByteBuffer message) {
        try {
            connection.sendControlMessage(message);
        } catch (TransportException e) {
            if (connection.isOpen()) {
                throw e;
            }
        }
    }
}
