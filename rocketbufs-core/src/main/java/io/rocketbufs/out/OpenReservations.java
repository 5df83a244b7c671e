package io.rocketbufs.out;

import java.util.Arrays;

/**
 * The reservations of a buffer that have not been delivered yet, oldest first.
 *
 * <p><b>Thread-safety:</b> producer only.
 */
final class OpenReservations {
    private static final int MAX_COUNT = 64;

    /** Start positions of the reservations. The array has room for the highest number of open reservations so far. */
    private long[] starts = new long[1];

    private int count;

    int count() {
        return count;
    }

    boolean isEmpty() {
        return count == 0;
    }

    boolean isFull() {
        return count == MAX_COUNT;
    }

    /** Returns the position of the oldest open reservation; {@code otherwise} if none is open. */
    long first(long otherwise) {
        return count == 0 ? otherwise : starts[0];
    }

    /** Adds a reservation. Must not be called when {@link #isFull} returns true. */
    void add(long position) {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, 2 * count);
        }
        starts[count++] = position;
    }

    /** Removes a reservation; throws the same exception as {@link #check}. */
    void remove(int bufferId, long position, long length) {
        int index = check(bufferId, position, length);
        System.arraycopy(starts, index + 1, starts, index, --count - index);
    }

    /**
     * Returns the index of a reservation.
     *
     * @throws IllegalStateException if the reservation is not open
     */
    int check(int bufferId, long position, long length) {
        for (int i = count - 1; i >= 0; i--) {
            if (starts[i] == position) {
                return i;
            }
        }
        throw new IllegalStateException(
                "bufferId=" + bufferId + " position=" + position + " length=" + length + ": no such open reservation");
    }
}
