package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.AtomicCell;
import io.rocketbufs.Connection;
import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.rocketlog.log.PartitionLog;
import io.rocketbufs.rocketlog.log.SegmentLoan;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import io.rocketbufs.rocketnet.AtomicsExecutor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The head of a partition while producers can write to it, with the word that orders the batches if producers share the
 * head. When the lease ends, the contents are compared with the batches that the broker accepted.
 *
 * <p><i>Thread-safety:</i> one thread at a time may append; one thread at a time may call the other methods.
 * <i>Ownership:</i> holds the memory until {@link #close}.
 */
final class LentSegment implements WrittenBatches.Log, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LentSegment.class);

    private final LogPartition partition;
    private final LeaseTerms terms;
    private final SegmentLoan loan;
    /** The memory of the order word; null if the lease is exclusive. */
    private final MappedFile orders;
    /** All producers that have had access: maps the address of each producer to the name of its client. */
    private final Map<String, String> peers = new LinkedHashMap<>();
    /**
     * The executor (the processor or a device) of the producers' operations on the order word; null until the first
     * producer has access.
     */
    private AtomicsExecutor ordersExecutor;

    private LentSegment(LogPartition partition, LeaseTerms terms, SegmentLoan loan, MappedFile orders) {
        this.partition = partition;
        this.terms = terms;
        this.loan = loan;
        this.orders = orders;
    }

    /**
     * Lends the head of a partition. May block on disk I/O.
     *
     * @throws io.rocketbufs.rocketlog.log.LogException see {@link PartitionLog#lend}
     * @throws io.rocketbufs.memory.MemoryException see {@link PartitionLog#lend}
     * @throws IOException if there is no memory for the order word
     */
    static LentSegment lend(LogPartition partition, LeaseTerms terms, boolean isShared) throws IOException {
        MappedFile orders = isShared ? MappedFile.words("rocketlog-orders", OrderWordLayout.LENGTH) : null;
        try {
            return new LentSegment(partition, terms, partition.lend(), orders);
        } catch (RuntimeException | Error e) {
            if (orders != null) {
                orders.close();
            }
            throw e;
        }
    }

    /**
     * Returns true if the operations of all producers on the order word, including those over the given connection, are
     * mutually atomic: either the processor executes all of them, or a single device does.
     */
    boolean isOrderedWith(Connection connection) {
        return ordersExecutor == null || ordersExecutor.equals(connection.atomicsExecutor());
    }

    /**
     * Gives a producer access to the memory, see {@link LeaseHolder#open}.
     *
     * @param batches instructed to copy batches if the processor executes the operations on the order word
     */
    void openFor(LeaseHolder holder, WrittenBatches batches, int writer) {
        Connection connection = holder.connection();
        AtomicsExecutor executor = connection.atomicsExecutor();
        boolean mayCopy = orders != null && ordersExecutor == null && executor.isProcessor();
        AtomicCell word = mayCopy ? connection.atomicCell(orders.region(), 0) : null;
        holder.open(loan, batches, writer, orders);
        peers.put(connection.peer(), holder.client());
        if (orders != null) {
            ordersExecutor = executor;
        }
        if (mayCopy) {
            batches.copyWith(word);
        }
    }

    @Override
    public long commit(int length, long producerId) {
        return partition.commit(loan, length, producerId);
    }

    @Override
    public long check(ByteBuffer batch) {
        return partition.check(batch);
    }

    @Override
    public long append(ByteBuffer batch) {
        return partition.append(loan, batch);
    }

    @Override
    public int count() {
        return loan.count();
    }

    @Override
    public long nextOffset() {
        return partition.nextOffset();
    }

    @Override
    public long length() {
        return loan.length();
    }

    @Override
    public long end() {
        return loan.end();
    }

    @Override
    public boolean hasRoom() {
        return partition.hasRoom();
    }

    /**
     * Removes data that the broker did not accept, and checks the accepted batches unless the segment is full. May
     * block on disk I/O. No producer may still have access.
     *
     * @return false if the segment is full, in which case the caller must still call {@link #check}; later batches do
     *     not depend on the result of that check
     */
    boolean takeBack() {
        boolean isChecked = partition.hasRoom();
        partition.takeBack(loan, isChecked && isChanged());
        return isChecked;
    }

    /**
     * Checks whether producers have changed accepted batches; if so, logs the change and withdraws their permission.
     */
    void check() {
        isChanged();
    }

    private boolean isChanged() {
        long offset = loan.changedOffset();
        if (offset >= 0) {
            onChanged(offset);
        }
        return offset >= 0;
    }

    private void onChanged(long offset) {
        boolean isAlone = peers.size() == 1;
        String clients = String.join(", ", peers.values());
        partition.countChanged();
        LOG.error(
                "{} changed records of {} after they were acknowledged, at offset={} or soon after it. Consumers"
                        + " report them as damaged, or read the changed contents. Producers on {} can no longer write"
                        + " into logs directly; identify this program",
                isAlone ? clients : "One of the producers " + clients,
                partition.name(),
                offset,
                isAlone ? "its host" : "the hosts of all of them");
        peers.keySet().forEach(terms::distrust);
    }

    /** Releases the memory. */
    @Override
    public void close() {
        loan.close();
        if (orders != null) {
            orders.close();
        }
    }
}
