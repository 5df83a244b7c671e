package io.rocketbufs.rbmq.client;

import io.rocketbufs.Segment;
import io.rocketbufs.rbmq.protocol.MessageLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * The claims of one topic: open claims, and idle claims kept for reuse.
 *
 * <p><b>Thread-safety:</b> guarded by the topic's lock, which {@link #commit} and {@link #abort} acquire.
 */
final class Claims implements Claim.Owner {
    private final TopicOutput output;
    private final List<Claim> open = new ArrayList<>();
    private final List<Claim> idle = new ArrayList<>();
    /**
     * Claims for messages with headers. They are kept separately, so that claims for other messages need not set the
     * index at which the message starts.
     */
    private final List<Claim> idleWithHeaders = new ArrayList<>();

    Claims(TopicOutput output) {
        this.output = output;
    }

    Claim open(Segment frame, int length) {
        return open(idle).grant(frame, length);
    }

    /** Opens a claim for a message with headers, which starts at index {@code start} of the frame. */
    Claim open(Segment frame, int start, int length) {
        return open(idleWithHeaders).grant(frame, start, length);
    }

    private Claim open(List<Claim> pool) {
        Claim claim = pool.isEmpty() ? Claim.of(this) : pool.remove(pool.size() - 1);
        open.add(claim);
        return claim;
    }

    boolean areOpen() {
        return !open.isEmpty();
    }

    /**
     * Throws an exception if the given thread has an open claim. Such a thread must not wait, because the space that it
     * needs may not become free until it closes that claim.
     */
    void checkNoneOf(Thread thread) {
        // Iterates by index, because an iterator would be allocated on each wait.
        for (int i = 0; i < open.size(); i++) {
            if (open.get(i).claimer() == thread) {
                throw new IllegalStateException("topic=" + output.topic()
                        + ": this thread must not wait for space while it has an open" + " claim or batch");
            }
        }
    }

    @Override
    public PublishResult commit(Claim claim, int length) {
        return commit(claim, claim.start() + length, 1, length);
    }

    /** Publishes the {@code count} messages in the first {@code framesLength} bytes of a claim's segment. */
    PublishResult commit(Claim claim, int framesLength, int count, long length) {
        output.lock();
        try {
            close(claim);
            PublishResult ended = output.ended();
            if (ended != null) {
                output.cancel(claim.frame());
                output.removeWhenUnused();
                return ended;
            }
            output.deliver(claim.frame(), framesLength, count, length);
            return PublishResult.PUBLISHED;
        } finally {
            output.unlock();
            output.onClaimClosed();
        }
    }

    @Override
    public void abort(Claim claim) {
        output.lock();
        try {
            close(claim);
            output.cancel(claim.frame());
            output.removeWhenUnused();
        } finally {
            output.unlock();
            output.onClaimClosed();
        }
    }

    private void close(Claim claim) {
        if (!open.remove(claim)) {
            throw new IllegalStateException("this claim has already been committed or aborted");
        }
        (claim.start() == MessageLayout.HEADER_LENGTH ? idle : idleWithHeaders).add(claim);
    }
}
