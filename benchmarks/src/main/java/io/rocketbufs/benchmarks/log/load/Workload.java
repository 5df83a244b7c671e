package io.rocketbufs.benchmarks.log.load;

import java.util.Locale;

/** The workloads of a load program. */
public enum Workload {
    /** Sends each record when the previous record has been acknowledged. */
    PRODUCE_ONE_BY_ONE,
    /** Sends records without waiting for acknowledgements. */
    PRODUCE,
    /** Repeatedly reads a topic that has been filled beforehand. */
    CONSUME,
    /** Requests records that do not exist. */
    POLL,
    /** Sends each record when the previous record has been consumed. */
    END_TO_END;

    /** Returns whether consumers read records that another producer has sent beforehand. */
    public boolean needsRecords() {
        return this == CONSUME;
    }

    /** Returns the workload's name on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
