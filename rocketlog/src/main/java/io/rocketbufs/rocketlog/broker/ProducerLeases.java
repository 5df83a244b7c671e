package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.rocketlog.protocol.LeaseMode;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The leases of one producer, at most one for each partition, and the answers to its ACQUIRE messages.
 *
 * <p><i>Thread-safety:</i> the connection's worker, except where a method says otherwise.
 */
final class ProducerLeases implements LeaseHolder.Owner, LeaseTerms.Holder {
    private final Connection connection;
    private final String client;
    private final LogTopic topic;
    private final LeaseTerms terms;
    private final ProducerInput producer;
    private final Map<Integer, Held> leases = new HashMap<>();
    /** The partitions of which the producer waits to share a lease. */
    private final Set<Integer> waiting = new HashSet<>();

    private boolean hasEnded;

    /** A lease, and this producer's part of it. */
    private record Held(PartitionLease lease, LeaseHolder holder) {
        private void end() {
            lease.end(holder);
        }
    }

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

    /**
     * Begins a lease, or joins one that is shared. If the producer already has one of this partition, that one is ended
     * first.
     */
    void acquire(int correlation, int number, LeaseMode mode) {
        LogPartition partition = topic.partition(number);
        if (partition == null) {
            refuse(
                    correlation,
                    LogRefusal.INVALID,
                    "topic " + topic.name() + " has no partition " + number + ": partitions="
                            + topic.partitions().size());
            return;
        }
        if (waiting.contains(number)) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    partition.name() + ": the producer asks for a lease twice at a time");
        }
        Held former = leases.get(number);
        if (former != null) {
            former.holder().afterEnd(() -> acquire(correlation, number, mode));
            former.lease().endSoon();
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
        } else if (mode == LeaseMode.SHARED) {
            share(correlation, number, partition);
        } else {
            begin(correlation, number, partition, mode);
        }
    }

    /** Begins a lease. Returns false if something else appends. */
    private boolean begin(int correlation, int number, LogPartition partition, LeaseMode mode) {
        PartitionLease lease = new PartitionLease(partition, mode, terms);
        boolean isBegun = partition.beginLease(lease);
        if (isBegun) {
            lease.open(add(lease, new LeaseHolder(this, partition.name(), number, correlation)));
        } else if (mode == LeaseMode.EXCLUSIVE) {
            refuse(correlation, LogRefusal.NOT_NOW, partition.name() + ": another producer appends");
        }
        return isBegun;
    }

    private LeaseHolder add(PartitionLease lease, LeaseHolder holder) {
        leases.put(holder.number(), new Held(lease, holder));
        terms.add(this);
        return holder;
    }

    private void share(int correlation, int number, LogPartition partition) {
        PartitionLease current = partition.lease();
        if (current != null) {
            join(correlation, number, partition, current);
        } else if (partition.isSharingPaused()) {
            refuse(correlation, LogRefusal.NOT_NOW, partition.name() + ": a producer has just broken the order");
        } else if (!begin(correlation, number, partition, LeaseMode.SHARED)) {
            awaitTurn(partition, retry(correlation, number));
        }
    }

    private void join(int correlation, int number, LogPartition partition, PartitionLease lease) {
        LeaseHolder holder = new LeaseHolder(this, partition.name(), number, correlation);
        switch (lease.join(holder)) {
            case JOINED -> add(lease, holder);
            case LATER -> lease.afterEnd(retry(correlation, number));
            case REFUSED ->
                refuse(
                        correlation,
                        LogRefusal.NOT_NOW,
                        partition.name() + ": another producer appends alone, or too many share the partition");
        }
    }

    /** Returns a task that acquires a shared lease later. Until it has run, the producer must not ask again. */
    private Runnable retry(int correlation, int number) {
        waiting.add(number);
        return () -> connection.execute(() -> {
            waiting.remove(number);
            acquire(correlation, number, LeaseMode.SHARED);
        });
    }

    private static void awaitTurn(LogPartition partition, Runnable task) {
        AppendTurn.Waiter waiter = new AppendTurn.Waiter() {
            @Override
            void onTurn() {
                task.run();
            }
        };
        if (partition.turn().enter(waiter)) {
            partition.turn().exit();
            task.run();
        } else {
            partition.onAwaited();
        }
    }

    @Override
    public void onResult(int number, long result, long nextOffset) {
        producer.onResult(topic.partition(number), number, result, nextOffset);
    }

    @Override
    public void report() {
        producer.report();
    }

    @Override
    public void remove(LeaseHolder ended) {
        leases.remove(ended.number());
        if (leases.isEmpty()) {
            terms.remove(this);
        }
    }

    /** Ends all leases. */
    @Override
    public void end() {
        hasEnded = true;
        List.copyOf(leases.values()).forEach(Held::end);
    }

    @Override
    public Connection connection() {
        return connection;
    }

    @Override
    public String client() {
        return client;
    }

    @Override
    public void refuse(int correlation, LogRefusal kind, String reason) {
        answer(LogMessageLayout.refused(correlation, kind, reason));
    }

    @Override
    public void answer(ByteBuffer message) {
        try {
            connection.sendControlMessage(message);
        } catch (TransportException e) {
            if (connection.isOpen()) {
                throw e;
            }
        }
    }
}
