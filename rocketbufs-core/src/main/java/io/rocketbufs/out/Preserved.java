package io.rocketbufs.out;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.Start;
import java.nio.ByteBuffer;

/**
 * A copy of the last bytes of a buffer, which remains available under the buffer's id after the buffer has ended.
 * Positions continue those of the buffer:
 *
 * <pre>
 *   buffer      0 ....................... start                    end
 *   copy                                  |-------- length --------|
 * </pre>
 *
 * <p>Each subscription reads from a separate fanout over the same memory. This fanout ends immediately, so the
 * subscription receives the part of the copy after the subscription's start, and then END.
 *
 * <p><b>Thread-safety:</b> guarded by the lock of {@link Outputs}. <b>Ownership:</b> holds a lease on its memory until
 * {@link #release()}, and each subscription holds another.
 */
final class Preserved {
    private final int bufferId;
    private final Region region;
    private final long length;
    /** Buffer position, which includes lost bytes, at which the copy begins. */
    private final long start;
    /** Number of bytes lost after the copy. */
    private final long lostBehind;

    private final BufferOptions options;

    /**
     * Copies the last bytes of a buffer.
     *
     * @param newest the bytes, in one or two pieces
     * @throws io.rocketbufs.memory.MemoryException if the operating system refuses to provide the memory
     */
    Preserved(Fanout fanout, MemoryPool pool, ByteBuffer... newest) {
        DeliveryLog log = fanout.log();
        this.bufferId = fanout.bufferId();
        this.length = lengthOf(newest);
        long end = log.visibleEnd();
        if (length < 1 || length > end) {
            throw new IllegalArgumentException("bufferId=" + bufferId + " length=" + length + " end=" + end);
        }
        long lostBefore = log.gapsBefore(end - 1, 0);
        this.start = end - length + lostBefore;
        this.lostBehind = log.gapsBefore(end, 0) - lostBefore;
        this.options = fanout.options().withKeep(length);
        this.region = pool.allocate(length);
        ByteBuffer into = region.window(0, (int) length);
        for (ByteBuffer piece : newest) {
            into.put(piece.duplicate());
        }
    }

    private static long lengthOf(ByteBuffer... pieces) {
        long sum = 0;
        for (ByteBuffer piece : pieces) {
            sum += piece.remaining();
        }
        return sum;
    }

    /** Returns the number of bytes of memory that the copy occupies. */
    long memoryLength() {
        return region.length();
    }

    /**
     * Returns a fanout for one subscription. Once the subscription has been added, the fanout must be
     * {@linkplain Fanout#end() ended}.
     */
    Fanout open() {
        region.retain();
        DeliveryLog log = new DeliveryLog(2, false);
        log.appendGap(start);
        log.append(0, length, 0, 0, null);
        if (lostBehind > 0) {
            log.appendGap(lostBehind);
        }
        CircularBuffer memory = new CircularBuffer(region, length);
        return new Fanout(bufferId, memory, log, options, new Owner(region), null);
    }

    /** Releases the memory once no subscription reads it. */
    void release() {
        region.release();
    }

    /** The producing side of a fanout that has nothing more to deliver. */
    private record Owner(Region region) implements FanoutOwner {
        @Override
        public void onReleased(long released) {
            // Nothing more is delivered.
        }

        @Override
        public long awaited() {
            return 0;
        }

        @Override
        public boolean isNotified() {
            return true;
        }

        @Override
        public void onJoined(long begun) {
            // No producer waits for memory.
        }

        @Override
        public boolean overwrites() {
            return false;
        }

        @Override
        public long longestCoalesced(Start start) {
            return 0;
        }

        @Override
        public void onDrained() {
            region.release();
        }
    }
}
