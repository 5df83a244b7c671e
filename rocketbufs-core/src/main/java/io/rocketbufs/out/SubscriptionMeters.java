package io.rocketbufs.out;

import io.rocketbufs.metrics.SubscriptionState;
import io.rocketbufs.options.SlowPolicy;

/**
 * The counters of one subscription.
 *
 * <p><b>Thread-safety:</b> changed under the connection's token, except for the episode; other threads may see older
 * values.
 */
final class SubscriptionMeters {
    private final SlowPolicy policy;
    private final SlowEpisode episode = new SlowEpisode();
    private volatile long lostLength;
    private volatile Runnable onDelay;
    private long transferCount;
    private long starvedCount;

    /** @param policy the policy that applies when the subscription is slow */
    SubscriptionMeters(SlowPolicy policy) {
        this.policy = policy;
    }

    SlowPolicy policy() {
        return policy;
    }

    /** Returns the current or last episode in which this subscription delays the producer. */
    SlowEpisode episode() {
        return episode;
    }

    /** Sets a task to be run when the producer begins to wait for this subscription; null for none. Any thread. */
    void setDelayTask(Runnable task) {
        onDelay = task;
    }

    /** Called when the producer has begun to wait for this subscription. Any thread. */
    void onDelay() {
        Runnable task = onDelay;
        if (task != null) {
            task.run();
        }
    }

    /** Counts bytes that were skipped. */
    void lost(long length) {
        lostLength += length;
    }

    /** Returns the number of bytes that were skipped. Any thread. */
    long lostLength() {
        return lostLength;
    }

    /** Counts a transfer when its last write is sent. */
    void sent(boolean more) {
        transferCount += more ? 0 : 1;
    }

    /** Counts a wait for credit, unless it continues a wait that was counted when it began. */
    void starved(boolean continues) {
        starvedCount += continues ? 0 : 1;
    }

    SubscriptionState state(int bufferId, String peer, long sentLength, long pendingLength) {
        return new SubscriptionState(
                bufferId,
                peer,
                policy,
                sentLength,
                pendingLength,
                lostLength,
                transferCount,
                starvedCount,
                episode.isSlow() ? episode.episodeMs() : 0,
                episode.totalDelayMs(),
                episode.worstPendingLength());
    }
}
