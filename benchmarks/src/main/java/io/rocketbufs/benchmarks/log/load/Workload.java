package io.rocketbufs.benchmarks.log.load;

import java.util.Locale;

/** Workload of a load program. */
public enum Workload {
    /** Sends a record, and the next one when it has been acknowledged. */
    PRODUCE_ONE_BY_ONE,
    /** Sends records without waiting for acknowledgements. */
    PRODUCE,
    /** Reads a topic that was filled before, again and again. */
    CONSUME,
    /** Asks for records that do not exist. */
    POLL,
    /** Sends a record, and the next one when it has been consumed. */
    END_TO_END;

    /** Returns true if consumers read records that another producer has sent before. */
    public boolean needsRecords() {
        return this == CONSUME;
    }

    /** Returns the workload's name on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
