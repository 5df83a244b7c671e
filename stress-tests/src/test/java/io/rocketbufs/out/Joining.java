package io.rocketbufs.out;

import io.rocketbufs.link.Link;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.Start;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.stress.CountingConnection;

/** A buffer and a subscriber that joins it. All instances use the same memory, whose contents are never read. */
class Joining {
    static final int LENGTH = 4;
    private static final long CAPACITY = 4096;
    private static final Region REGION = new MemoryPool(1 << 16).allocate(CAPACITY);

    final OutputBuffer buffer;
    private final Start start;
    final CountingConnection connection = new CountingConnection();
    final Link link = connection.open();
    Subscription subscription;

    /** Creates a buffer with default options, and a subscriber that starts with the next delivery. */
    Joining() {
        this(BufferOptions.DEFAULTS, Start.LIVE);
    }

    /** Creates a buffer with the given options, and a subscriber that starts at the given place. */
    Joining(BufferOptions options, Start start) {
        this.start = start;
        this.buffer = new OutputBuffer(
                1, REGION, CAPACITY - options.keep(), options.withRecordCount(8), null, () -> false, () -> {});
    }

    /** Delivers {@link #LENGTH} bytes. */
    final void deliver() {
        buffer.deliver(buffer.reserve(LENGTH), LENGTH, LENGTH, null);
    }

    /** Adds a subscription that does not yet send. */
    final void enter() {
        subscription = buffer.fanout()
                .subscribe(
                        link,
                        new SubscriptionTerms(
                                0,
                                new RemoteBuffer(RemoteAccess.NONE, CAPACITY),
                                CAPACITY,
                                Integer.MAX_VALUE,
                                null,
                                false,
                                start,
                                0,
                                1000,
                                () -> {}));
    }

    /** Adds a subscription and lets it send. */
    final void join() {
        enter();
        subscription.activate();
    }

    /** Returns the log position at which the subscription began. */
    final int begin() {
        return (int) (subscription.stream().position() - subscription.credit().sentPosition());
    }

    /**
     * Returns the number of bytes sent to the subscription, or -1 if the subscription's own count differs or sending
     * has failed.
     */
    final int sent() {
        boolean consistent = connection.length() == subscription.credit().sentPosition() && !connection.hasFailed();
        return consistent ? (int) connection.length() : -1;
    }
}
