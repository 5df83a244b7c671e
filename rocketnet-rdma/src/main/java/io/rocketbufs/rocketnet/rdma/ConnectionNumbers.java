package io.rocketbufs.rocketnet.rdma;

import java.util.BitSet;

/**
 * The numbers of a NIC's connections, from 1 on, as {@link Contexts} carry them.
 *
 * <p>One that is given back is not lent again before all others have been: a queue may still hold completions of the
 * connection that had it.
 *
 * <p><b>Thread-safety:</b> the monitor's thread.
 */
final class ConnectionNumbers {
    private final int max;
    private final BitSet taken = new BitSet();
    private int last;

    ConnectionNumbers(int max) {
        this.max = max;
    }

    /** A number that nobody has, or 0. */
    int take() {
        int number = taken.nextClearBit(last + 1);
        if (number > max) {
            number = taken.nextClearBit(1);
        }
        if (number > max) {
            return 0;
        }
        taken.set(number);
        last = number;
        return number;
    }

    void giveBack(int number) {
        taken.clear(number);
    }

    /** How many are taken. */
    int count() {
        return taken.cardinality();
    }
}
