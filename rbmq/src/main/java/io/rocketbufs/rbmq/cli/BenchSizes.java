package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.rbmq.bench.BenchLoad;
import io.rocketbufs.rbmq.bench.BenchMessageLayout;

/** The limits of a benchmark's options. */
final class BenchSizes {
    private static final int MAX_PUBLISHERS = 1000;
    private static final int MAX_SUBSCRIBERS = 1000;
    /**
     * Maximum number of topics. It is limited because topic names are passed to the processes as arguments, which the
     * operating system limits to 2 MiB.
     */
    private static final int MAX_TOPICS = 20_000;

    private static final int MAX_BATCH = 1_000_000;

    private static final long MAX_RATE = 100_000_000;

    private BenchSizes() {}

    /** Checks the options that define a load. */
    static void checkLoad(BenchLoad load) {
        checkLength(load.length());
        if (load.stampAll()) {
            checkStampedLength(load.length());
        }
        checkCount("--pubs", load.publisherCount(), 1, MAX_PUBLISHERS);
        checkCount("--subs", load.subscriberCount(), 0, MAX_SUBSCRIBERS);
        checkCount("--topics", load.topicCount(), 1, MAX_TOPICS);
        checkBatch(load.batch());
    }

    /** Checks the number of messages that are published with one call. */
    static void checkBatch(int count) {
        checkCount("--batch", count, 1, MAX_BATCH);
    }

    /** Checks that a message of this length can contain the header. */
    static void checkLength(int length) {
        if (length < BenchMessageLayout.MIN_LENGTH) {
            throw CommandFailure.usage("--size " + length + ": must be at least " + BenchMessageLayout.MIN_LENGTH
                    + ", the length of the header");
        }
    }

    /** Checks that a message of this length can contain the header and the timestamp. */
    private static void checkStampedLength(int length) {
        if (length < BenchMessageLayout.MIN_STAMPED_LENGTH) {
            throw CommandFailure.usage("--size " + length + ": must be at least "
                    + BenchMessageLayout.MIN_STAMPED_LENGTH + ", the length of the header and the timestamp");
        }
    }

    /** Checks that a rate is low enough for a clock with nanosecond resolution. */
    static void checkRate(long rate) {
        checkCount("--rate", rate, 1, MAX_RATE);
    }

    /** Checks that a count is within its limits. */
    private static void checkCount(String option, long count, long min, long max) {
        if (count < min || count > max) {
            throw CommandFailure.usage(option + " " + count + ": is not in the range " + min + " to " + max);
        }
    }
}
