package io.rocketbufs.rbmq.test;

/**
 * A collector of the failures of several steps, all of which must run.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class Failures {
    private Throwable first;

    /** A step. */
    @FunctionalInterface
    interface Step {
        /** Runs the step, which may fail in any way. */
        void run() throws Exception;
    }

    /** Runs a step and records its failure. */
    void run(Step step) {
        try {
            step.run();
        } catch (Exception | AssertionError e) {
            if (first == null) {
                first = e;
            } else {
                first.addSuppressed(e);
            }
        }
    }

    /** Throws the first failure, with the other failures as suppressed exceptions. */
    void throwAny() throws Exception {
        if (first instanceof Error error) {
            throw error;
        }
        if (first != null) {
            throw (Exception) first;
        }
    }
}
