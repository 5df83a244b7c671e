package io.rocketbufs.delivery;

/**
 * The writes of one connection that have not completed, oldest first: whose they are, and how far each reaches.
 *
 * <p>Completions come in the order of posting, so counting them is enough. A write that was done at once behind others
 * waits for its place.
 *
 * <p><b>Thread-safety:</b> under the {@link Sender}'s token.
 */
final class InFlight {
    private static final int MAX_COUNT = 1024;

    private final LocalHold[] holds = new LocalHold[MAX_COUNT];
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
     * Notes a write.
     *
     * @param end log position that its reader reaches with it
     * @param alreadyDone no completion will come for it
     */
    void add(LocalHold hold, long end, boolean alreadyDone) {
        if (alreadyDone && count == 0) {
            hold.release(end);
            return;
        }
        int slot = head + count++ & MAX_COUNT - 1;
        holds[slot] = hold;
        ends[slot] = end;
        done[slot] = alreadyDone;
        hold.onPosted();
    }

    /** The oldest {@code completed} writes that are not done have completed. */
    void complete(int completed) {
        int left = completed;
        while (count > 0 && (left > 0 || done[head])) {
            left -= done[head] ? 0 : 1;
            LocalHold hold = holds[head];
            holds[head] = null;
            long end = ends[head];
            head = head + 1 & MAX_COUNT - 1;
            count--;
            hold.onCompleted(end);
        }
    }
}
