package io.rocketbufs.in;

import io.rocketbufs.buffer.WaitMeter;

/**
 * A tracker of how long an input buffer's sender waits for credit. A sender that waits for credit sends STARVING at its
 * next tick at the latest, and its wait ends with the report that it has requested. A sender that waits for one report
 * after another may not be waiting when a sample is taken, but each sample detects that a wait has begun or ended in
 * the meantime.
 *
 * <p><b>Thread-safety:</b> used on the worker of the sender's connection, except where a method states otherwise.
 */
public final class SenderWait {
    private final CreditReports reports;
    private final WaitMeter meter;
    /** Maximum number of arrived but unreported bytes with which the sender still has credit for any transfer. */
    private final long mostUnreported;
    /** The sender can continue when all data before this position has been consumed. */
    private volatile long position;
    /** True if the sender skips data for which it has no credit. */
    private volatile boolean lossy;

    /** Number of STARVING messages. */
    private volatile long starvingCount;

    private long lastCount;
    private volatile long delayMs;

    /** @param transferLimit maximum length of a transfer that combines deliveries */
    SenderWait(CreditReports reports, long capacity, long transferLimit) {
        this.reports = reports;
        this.mostUnreported = capacity - transferLimit;
        this.meter = new WaitMeter(capacity);
        this.lastCount = count();
    }

    /**
     * Called when the sender is waiting until all data before {@code wanted} has been consumed.
     *
     * @param skips true if the sender's producer does not wait
     */
    void onStarving(long wanted, boolean skips) {
        lossy = skips;
        position = wanted;
        starvingCount++;
    }

    /** Returns true if {@link #tick} has an effect. */
    boolean isActive() {
        return count() != lastCount || isStarving() || meter.isWaiting();
    }

    /**
     * Takes a sample.
     *
     * @param elapsedMs milliseconds since the last sample; 0 if this time must not be counted
     * @param consumed position up to which data has been consumed
     * @param arrived position up to which data has arrived
     */
    void tick(long elapsedMs, long consumed, long arrived) {
        if (!isActive()) {
            return;
        }
        long now = count();
        boolean waited = now != lastCount && isCreditLow(arrived);
        lastCount = now;
        delayMs += meter.sample(elapsedMs, consumed, isWaiting() || waited);
    }

    /** Returns true if the sender has less credit than a transfer that combines deliveries may need. */
    private boolean isCreditLow(long arrived) {
        return arrived - reports.reportedPosition() > mostUnreported;
    }

    /**
     * Returns the position up to which data must be consumed before a starving sender can continue, or before a sender
     * with little credit receives more; 0 if the sender has enough credit.
     */
    long wanted(long arrived) {
        if (isStarving()) {
            return position;
        }
        return isCreditLow(arrived) ? reports.nextQuarter() : 0;
    }

    /** Returns true if the sender is starving and has not yet been informed that it can continue. */
    private boolean isStarving() {
        return position > reports.reportedPosition();
    }

    // Any thread.

    /** Returns true if the sender's producer must wait because the sender is starving. */
    public boolean isWaiting() {
        return isStarving() && !lossy;
    }

    /**
     * Returns the number of times that a wait has begun or ended. The number does not change while the sender's
     * producer does not wait.
     */
    public long count() {
        return lossy ? 1 : 2 * starvingCount + (isStarving() ? 0 : 1);
    }

    /** Returns the number of milliseconds for which the sender has waited. */
    long delayMs() {
        return delayMs;
    }
}
