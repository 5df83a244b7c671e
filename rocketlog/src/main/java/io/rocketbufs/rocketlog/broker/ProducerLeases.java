package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.rocketlog.protocol.LeaseMode;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.RefusedRequest;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;

/**
 * The leases of one producer, at most one for each partition, and the responses to its ACQUIRE messages.
 *
 * <p><i>Thread-safety:</i> confined to the connection's worker, except where stated otherwise.
 */
final class ProducerLeases implements LeaseHolder.Owner, LeaseTerms.Holder {
    private final Connection connection;
    private final String client;
    private final LogTopic topic;
    private final LeaseTerms terms;
    private final ProducerInput producer;
    private final IntSupplier possibleExcess;
    private final Map<Integer, Held> leases = new HashMap<>();
    /** The numbers of the partitions for which the producer waits for a shared lease. */
    private final Set<Integer> waiting = new HashSet<>();

    private boolean hasEnded;

    /** A lease, with this producer's share of it. */
    private record Held(PartitionLease lease, LeaseHolder holder) {
        private void end() {
            lease.end(holder);
        }
    }

    /**
     * Creates an instance that holds no leases.
     *
     * @param possibleExcess returns the sum of {@link ProducerInput#possibleExcess} over all producers of the
     *     connection
     */
    ProducerLeases(
            Connection connection,
            String client,
            LogTopic topic,
            LeaseTerms terms,
            ProducerInput producer,
            IntSupplier possibleExcess) {
        this.connection = connection;
        this.client = client;
        this.topic = topic;
        this.terms = terms;
        this.producer = producer;
        this.possibleExcess = possibleExcess;
    }

    /** Returns the number of leases. */
    int count() {
        return leases.size();
    }

    /**
     * Starts a lease, or joins a shared lease. If the producer already has a lease on the partition, first ends its
     * share of that lease.
     */
    void acquire(LeaseRequest request) {
        int number = request.partition();
        LogPartition partition = topic.partition(number);
        if (partition == null) {
            refuse(request, topic.noPartition(LogRefusal.INVALID, number));
            return;
        }
        if (waiting.contains(number)) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    partition.name() + ": the producer requests a second lease before the first request is complete");
        }
        Held former = leases.get(number);
        if (former != null) {
            former.holder().afterEnd(() -> acquire(request));
            former.end();
            return;
        }
        RefusedRequest refusal = refusal(partition, request);
        if (refusal != null) {
            refuse(request, refusal);
        } else if (request.mode() == LeaseMode.EXCLUSIVE) {
            begin(request, partition);
        } else {
            share(request, partition);
        }
    }

    /** Returns why the producer cannot acquire a lease now, or null if it may be able to. */
    private RefusedRequest refusal(LogPartition partition, LeaseRequest request) {
        RefusedRequest denial = terms.denial(topic.name());
        if (denial != null) {
            return denial;
        }
        RefusedRequest withdrawal = terms.withdrawal(partition.name(), connection.peer());
        if (withdrawal != null) {
            return withdrawal;
        }
        RefusedRequest limit = exceededLimit(partition);
        if (limit != null) {
            return limit;
        }
        return request.mode() == LeaseMode.SHARED && request.producerId() < 0
                ? new RefusedRequest(
                        LogRefusal.INVALID,
                        partition.name() + ": a producer that shares a partition needs an id: producerId="
                                + request.producerId(),
                        "request access with an id of at least 0")
                : null;
    }

    /** Returns the refusal if the producer has reached a limit, or null if it has not. */
    private RefusedRequest exceededLimit(LogPartition partition) {
        String limit = "rocketlog.limits.segments-per-connection=" + terms.leasesPerProducer();
        if (hasEnded || leases.size() >= terms.leasesPerProducer()) {
            return new RefusedRequest(
                    LogRefusal.NOT_NOW,
                    partition.name() + ": the producer has as many leases as " + limit + " allows",
                    "use the mode private, or raise the limit");
        }
        int excess = possibleExcess.getAsInt();
        return excess <= terms.largestExcess()
                ? null
                : new RefusedRequest(
                        LogRefusal.NOT_NOW,
                        partition.name() + ": " + excess + " results of this connection wait, or can still be added by"
                                + " its leases, and " + limit + " allows a further lease with at most "
                                + terms.largestExcess(),
                        "take the results, or raise the limit");
    }

    /** Starts a lease. Returns false if another producer holds the turn. */
    private boolean begin(LeaseRequest request, LogPartition partition) {
        LeaseHolder holder = new LeaseHolder(this, partition.name(), request);
        PartitionLease lease = new PartitionLease(partition, request.mode(), terms, holder);
        boolean isBegun = partition.beginLease(lease);
        if (isBegun) {
            add(lease, holder);
            lease.open(holder);
        } else if (request.mode() == LeaseMode.EXCLUSIVE) {
            refuseNow(request, partition, "another producer is appending");
        }
        return isBegun;
    }

    private void add(PartitionLease lease, LeaseHolder holder) {
        leases.put(holder.number(), new Held(lease, holder));
        terms.add(this);
    }

    private void share(LeaseRequest request, LogPartition partition) {
        PartitionLease current = partition.lease();
        if (current != null) {
            join(request, partition, current);
        } else if (partition.isSharingPaused()) {
            refuseNow(request, partition, "a shared lease failed a moment ago");
        } else if (!begin(request, partition)) {
            PartitionLease begun = partition.lease();
            if (begun != null) {
                join(request, partition, begun);
            } else {
                awaitTurn(partition, retry(request));
            }
        }
    }

    private void join(LeaseRequest request, LogPartition partition, PartitionLease lease) {
        LeaseHolder holder = new LeaseHolder(this, partition.name(), request);
        switch (lease.join(holder)) {
            case JOINED -> add(lease, holder);
            case LATER -> lease.afterEnd(retry(request));
            default -> refuseNow(request, partition, "the lease is exclusive, or too many producers share it");
        }
    }

    /**
     * Returns a task whose first run processes the request again. Until then, the producer must not send another
     * request for the partition.
     */
    private Runnable retry(LeaseRequest request) {
        waiting.add(request.partition());
        AtomicBoolean isCalled = new AtomicBoolean();
        return () -> {
            if (!isCalled.getAndSet(true)) {
                connection.execute(() -> {
                    waiting.remove(request.partition());
                    acquire(request);
                });
            }
        };
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
        } else if (partition.lease() != null) { // a lease has started in the meantime
            task.run();
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

    /** Ends all leases of the producer. */
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

    private void refuseNow(LeaseRequest request, LogPartition partition, String reason) {
        refuse(
                request,
                new RefusedRequest(
                        LogRefusal.NOT_NOW,
                        partition.name() + ": " + reason,
                        "use the mode private, or request access again later"));
    }

    private void refuse(LeaseRequest request, RefusedRequest refusal) {
        answer(LogMessageLayout.refused(request.correlation(), refusal));
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
