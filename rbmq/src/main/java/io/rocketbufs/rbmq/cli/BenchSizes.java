package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.rbmq.bench.BenchMessageLayout;

/** What a benchmark can be asked for. */
final class BenchSizes {
    private static final long MAX_RATE = 100_000_000;

    private BenchSizes() {}

    /** The header must fit. */
    static void checkLength(int length) {
        if (length < BenchMessageLayout.MIN_LENGTH) {
            throw CommandFailure.usage(
                    "--size " + length + ": is below " + BenchMessageLayout.MIN_LENGTH + ", the header's length");
        }
    }

    /** Header and time stamp must fit. */
    static void checkStampedLength(int length) {
        if (length < BenchMessageLayout.MIN_STAMPED_LENGTH) {
            throw CommandFailure.usage("--size " + length + ": is below " + BenchMessageLayout.MIN_STAMPED_LENGTH
                    + ", the length of header and time stamp");
        }
    }

    /** A rate that a clock of nanoseconds can keep. */
    static void checkRate(long rate) {
        checkCount("--rate", rate, 1, MAX_RATE);
    }

    /** How many of something. */
    static void checkCount(String option, long count, long min, long max) {
        if (count < min || count > max) {
            throw CommandFailure.usage(option + " " + count + ": is not within " + min + " to " + max);
        }
    }
}
