package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.Segment;
import io.rocketbufs.options.SubscribeOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The data received from one buffer. Data is compared with the {@link Pattern} on arrival and, by default, consumed
 * immediately.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class Received {
    private final Inbox inbox;
    private final int bufferId;
    private final List<Long> transfers = new ArrayList<>();
    private final List<Long> boundaries = new ArrayList<>();
    private final List<Long> gaps = new ArrayList<>();
    private int checkedCount;
    private Pattern pattern = new Pattern(0);
    private Sent joining;
    private long position;
    private long length;
    private long unconsumed;
    private boolean holding;
    private boolean spliced;
    private boolean ended;
    private String failure;
    private String problem;

    Received(Inbox inbox, int bufferId) {
        this.inbox = inbox;
        this.bufferId = bufferId;
    }

    // Before data arrives.

    /** Compares the data with the pattern that has the given seed; the default is 0. */
    synchronized Received seed(long seed) {
        pattern = new Pattern(seed);
        return this;
    }

    /** Compares the data with the pattern from the given position on; the default is 0. */
    synchronized Received from(long start) {
        position = start;
        return this;
    }

    /** Starts the comparison at the first delivery that arrives, regardless of its place in the stream. */
    synchronized Received startingAnywhere(Sent sent) {
        joining = sent;
        return this;
    }

    /** Retains received data in the buffer until {@link #consume} or {@link #release()} is called. */
    synchronized Received holding() {
        holding = true;
        return this;
    }

    /** Leaves the consumption of data to a splice. */
    synchronized Received spliced() {
        spliced = true;
        return this;
    }

    /** Subscribes, and waits until the sender has accepted the subscription. */
    Received subscribe(long capacity) {
        return subscribe(capacity, SubscribeOptions.DEFAULTS);
    }

    /** Subscribes, and waits until the sender has accepted the subscription. */
    Received subscribe(long capacity, SubscribeOptions options) {
        Stage.get(trySubscribe(capacity, options));
        return this;
    }

    /** Subscribes without waiting for the sender. */
    CompletableFuture<Void> trySubscribe(long capacity, SubscribeOptions options) {
        return inbox.in().subscribe(bufferId, capacity, options);
    }

    // Callbacks.

    synchronized void onData(Segment data) {
        if (joining != null) {
            position = joining.find(data);
            joining = null;
        }
        long wrong = pattern.firstWrong(data, position);
        if (wrong >= 0 && problem == null) {
            problem = "buffer " + bufferId + ": wrong byte at position " + wrong + " of transfer " + transfers.size()
                    + " which has " + data.length() + " bytes from position " + position;
        }
        position += data.length();
        length += data.length();
        transfers.add(data.length());
        boundaries.add(position);
        if (holding) {
            unconsumed += data.length();
        } else if (!spliced) {
            inbox.in().dataConsumed(bufferId, data.length());
        }
    }

    synchronized void onGap(long at, long lost) {
        if (at != length && problem == null) {
            problem = "buffer " + bufferId + ": gap at position " + at + ", receivedLength=" + length;
        }
        gaps.add(lost);
        if (joining != null) {
            // The start position is known only once the first data has arrived.
            return;
        }
        position += lost;
        boundaries.add(position);
    }

    synchronized void onEnd(String reason) {
        if (ended && problem == null) {
            problem = "buffer " + bufferId + " ended twice";
        }
        ended = true;
        failure = reason;
    }

    // Consumption.

    /** Consumes the given number of retained bytes. */
    synchronized void consume(long count) {
        unconsumed -= count;
        inbox.in().dataConsumed(bufferId, count);
    }

    /** Consumes the retained data. Data that arrives after this call is consumed immediately. */
    synchronized void release() {
        holding = false;
        consume(unconsumed);
    }

    // Results.

    Inbox inbox() {
        return inbox;
    }

    /** Returns the number of bytes received so far. */
    synchronized long length() {
        checkIntact();
        return length;
    }

    /** Returns the number of bytes skipped so far. */
    synchronized long lost() {
        return gaps.stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the position up to which the sender's stream has been received or skipped. */
    synchronized long position() {
        checkIntact();
        return position;
    }

    /** Returns the number of retained bytes. */
    synchronized long unconsumed() {
        return unconsumed;
    }

    /** Returns the lengths of the transfers. */
    synchronized List<Long> transfers() {
        return List.copyOf(transfers);
    }

    /** Returns the lengths of the gaps. */
    synchronized List<Long> gaps() {
        return List.copyOf(gaps);
    }

    synchronized boolean isEnded() {
        checkIntact();
        return ended;
    }

    /** Returns the reason why the buffer ended; null after a graceful end. */
    synchronized String failure() {
        return failure;
    }

    /**
     * Waits until everything delivered so far has arrived or been reported as lost. Only whole deliveries may arrive.
     */
    Received awaitAll(Sent sent) {
        return awaitPosition(sent.length()).checkBoundaries(sent);
    }

    Received awaitPosition(long end) {
        eventually(() -> position() >= end, () -> "position " + end + " of " + this);
        return this;
    }

    /** Waits for the end of the buffer. */
    Received awaitEnd() {
        eventually(this::isEnded, () -> "the end of " + this);
        return this;
    }

    /** Waits for the graceful end of the buffer. All data must have arrived. */
    void awaitEnd(Sent sent) {
        awaitEnd();
        assertThat(failure()).isNull();
        assertThat(position()).isEqualTo(sent.length());
        checkBoundaries(sent);
    }

    /** Checks that each transfer and each gap ends at the end of a delivery. */
    synchronized Received checkBoundaries(Sent sent) {
        checkIntact();
        for (; checkedCount < boundaries.size(); checkedCount++) {
            long boundary = boundaries.get(checkedCount);
            if (!sent.endsAt(boundary)) {
                throw new AssertionError("no delivery ends at position " + boundary + " of " + this);
            }
        }
        return this;
    }

    private void checkIntact() {
        if (problem != null) {
            throw new AssertionError(problem);
        }
    }

    @Override
    public synchronized String toString() {
        return "buffer " + bufferId + " at position " + position + ": length=" + length + " gaps=" + gaps
                + " unconsumed=" + unconsumed + (ended ? " ended: " + failure : "");
    }
}
