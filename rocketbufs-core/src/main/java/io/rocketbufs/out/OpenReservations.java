package io.rocketbufs.out;

import java.util.Arrays;

/**
 * The positions of an output buffer's open reservations, in their order.
 *
 * <p><b>Thread-safety:</b> used only by the buffer's producing thread.
 */
final class OpenReservations {
    private static final int MAX = 64;

    /** Has room for the highest number of open reservations so far. */
    private long[] starts = new long[1];

    private int count;
    private final int bufferId;

    /** Creates an empty set. */
    OpenReservations(int bufferId) {
        this.bufferId = bufferId;
    }

    int count() {
        return count;
    }

    boolean areMost() {
        return count == MAX;
    }

    /** Returns the lowest position of an open reservation; {@code otherwise} if none is open. */
    long lowest(long otherwise) {
        return count == 0 ? otherwise : starts[0];
    }

    void add(long position) {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, 2 * count);
        }
        starts[count++] = position;
    }

    /**
     * Returns the place of the reservation that begins at a position.
     *
     * @throws IllegalStateException when it is not open
     */
    int placeOf(long position, long length) {
        for (int i = count - 1; i >= 0; i--) {
            if (starts[i] == position) {
                return i;
            }
        }
        throw new IllegalStateException(
                "bufferId=" + bufferId + " position=" + position + " length=" + length + ": no such open reservation");
    }

    void remove(int place) {
        System.arraycopy(starts, place + 1, starts, place, --count - place);
    }

    /**
     * Checks that there can be room for another record.
     *
     * @param mostRoom highest number of records that can be free
     * @throws IllegalStateException when the open reservations need all of them
     */
    void checkLeaveRoom(long mostRoom) {
        if (count >= mostRoom) {
            throw new IllegalStateException("bufferId=" + bufferId + " openReservations=" + count + " records="
                    + mostRoom + ": there is never room for several deliveries");
        }
    }

    /** Lets a reservation begin later. */
    void shorten(int place, long newStart) {
        starts[place] = newStart;
    }
}
