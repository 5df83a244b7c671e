package io.rocketbufs.rocketlog.log;

/** Opens logs for tests. */
final class TestLogs {
    private TestLogs() {}

    /** Recovers the log in a folder, and reports only the progress of this log. */
    static PartitionLog open(String name, LogFolder folder, LogOptions options, Runnable flushRequest) {
        return PartitionLog.open(name, folder, options, flushRequest, new RecoveryProgress(1, System::nanoTime));
    }
}
