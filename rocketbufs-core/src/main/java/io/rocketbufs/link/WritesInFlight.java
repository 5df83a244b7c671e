package io.rocketbufs.link;

/**
 * The writes of one connection that have not completed, oldest first, each with its owner and end position.
 *
 * <p>Completions arrive in posting order, so counting them is sufficient. If a write completes immediately while
 * earlier writes are in flight, its completion is reported after theirs.
 *
 * <p><b>Thread-safety:</b> under the {@link Sender}'s token.
 */
final class WritesInFlight {
    private static final int MAX_COUNT = 1024;

    private final WriteOwner[] owners = new WriteOwner[MAX_COUNT];
    private final long[] ends = new long[MAX_COUNT];
    private final boolean[] done = new boolean[MAX_COUNT];
    private int head;
    private int count;

    boolean isEmpty() {
        return count == 0;
    }

    boolean isFull() {
        return count == MAX_COUNT;
    }

    /**
     * Adds a write.
     *
     * @param end passed to the owner on completion
     * @param alreadyDone true if no completion will be reported
     */
    void add(WriteOwner owner, long end, boolean alreadyDone) {
        if (alreadyDone && count == 0) {
            owner.writeDone(end);
            return;
        }
        int slot = head + count++ & MAX_COUNT - 1;
        owners[slot] = owner;
        ends[slot] = end;
        done[slot] = alreadyDone;
        owner.writePosted();
    }

    /** Completes the {@code completed} oldest writes that are not done yet. */
    void complete(int completed) {
        int left = completed;
        while (count > 0 && (left > 0 || done[head])) {
            left -= done[head] ? 0 : 1;
            WriteOwner owner = owners[head];
            owners[head] = null;
            long end = ends[head];
            head = head + 1 & MAX_COUNT - 1;
            count--;
            owner.writeCompleted(end);
        }
    }
}
