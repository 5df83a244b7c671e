package io.rocketbufs.rocketlog.log;

import io.rocketbufs.memory.MemoryException;
import io.rocketbufs.rocketlog.record.RingLayout;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The in-memory logs. Each log has a ring of segments, in which the newest records replace the oldest. No records
 * survive the end of the process.
 *
 * <p><i>Thread-safety:</i> any thread. <i>Ownership:</i> owns and closes its logs. Memory that peers may still read is
 * freed when its views have been closed.
 */
public final class MemoryLogs implements AutoCloseable {
    /** Largest capacity of a log in bytes. */
    public static final long LARGEST_CAPACITY = (long) RingLayout.SEGMENTS * LogOptions.LONGEST_SEGMENT;

    private final LogOptions options;
    private final List<PartitionLog> logs = new ArrayList<>();

    /** @param options the limits of batches and indexes; all disk and retention options are ignored */
    public MemoryLogs(LogOptions options) {
        this.options = options;
    }

    /**
     * Returns the capacity that a log will have: the requested capacity, rounded up to whole segments.
     *
     * @throws IllegalArgumentException if a segment would be longer than the longest segment or shorter than the
     *     longest batch; the message states both limits
     */
    public long capacity(long requested) {
        long unit = (long) RingLayout.SEGMENTS * RingLayout.UNIT;
        long shortest = (long) RingLayout.SEGMENTS * options.longestBatch();
        if (requested < shortest || requested > LARGEST_CAPACITY) {
            throw new IllegalArgumentException("capacity=" + requested + " bytes must be from " + shortest + " ("
                    + RingLayout.SEGMENTS + " times the longest batch) to " + LARGEST_CAPACITY);
        }
        return (requested + unit - 1) / unit * unit;
    }

    /**
     * Creates an empty log.
     *
     * @param name topic and number, such as {@code orders-0}
     * @param capacity as returned by {@link #capacity}
     * @param firstOffset offset of the first record
     * @throws LogException if the system does not have enough memory
     */
    public synchronized PartitionLog create(String name, long capacity, long firstOffset) {
        int segmentLength = (int) (capacity / RingLayout.SEGMENTS);
        MemoryRing ring = null;
        PartitionLog log = null;
        try {
            ring = new MemoryRing(name, segmentLength);
            log = PartitionLog.inMemory(
                    name, ring, options.withSegments(segmentLength, 0, options.longestBatch()), firstOffset);
            logs.add(log);
            return log;
        } catch (IOException | MemoryException e) {
            throw new LogException(
                    LogException.Code.MEMORY,
                    name + ": the system refuses " + capacity + " bytes of memory: " + Reason.of(e),
                    "use a smaller capacity, or add memory",
                    e);
        } finally {
            if (log == null && ring != null) {
                ring.close();
            }
        }
    }

    /** Ends a log. Its memory is freed when the last view has been closed. No thread may append to the log. */
    public synchronized void remove(PartitionLog log) {
        if (logs.remove(log)) {
            log.endInMemory();
        }
    }

    /** Ends all logs as {@link #remove} does. Idempotent. */
    @Override
    public synchronized void close() {
        List.copyOf(logs).forEach(this::remove);
    }
}
