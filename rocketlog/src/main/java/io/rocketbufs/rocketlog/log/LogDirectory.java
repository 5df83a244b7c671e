package io.rocketbufs.rocketlog.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/**
 * A directory with the logs of all partitions, each in a folder of its own. One thread does the maintenance of all of
 * them; it flushes everything that has gathered in one round, so that many producers share one flush.
 *
 * <p><i>Thread-safety:</i> any thread, except {@link #close}. <i>Ownership:</i> the directory owns its logs, and closes
 * them.
 */
public final class LogDirectory implements AutoCloseable {
    private static final Pattern PARTITION = Pattern.compile("[a-zA-Z0-9._-]{1,249}-[0-9]{1,10}");

    private final Path path;
    private final LogOptions options;
    private final DurableCallback callback;
    private final DirectoryLock lock;
    private final Map<String, OpenLog> logs = new ConcurrentHashMap<>();
    private final Thread thread;
    private volatile boolean isClosing;
    private volatile boolean flushRequested;

    /** Called when appended records have become durable. */
    @FunctionalInterface
    public interface DurableCallback {
        /**
         * Called on the maintenance thread, which it must not block. If it throws, the log accepts nothing further.
         *
         * @param durableOffset all records before this offset survive a crash of the machine
         */
        void onDurable(PartitionLog log, long durableOffset);
    }

    private record OpenLog(PartitionLog log, Maintenance maintenance) {}

    private LogDirectory(Path path, LogOptions options, DurableCallback callback, DirectoryLock lock) {
        this.path = path;
        this.options = options;
        this.callback = callback;
        this.lock = lock;
        this.thread = new Thread(this::maintain, "rocketlog-maintenance");
        thread.setDaemon(true);
    }

    /**
     * Opens a directory, and creates it if it does not exist.
     *
     * @param callback reports durable records
     * @throws LogException if another process uses the directory, it has another format, or the disk refuses
     */
    public static LogDirectory open(Path path, LogOptions options, DurableCallback callback) {
        try {
            Files.createDirectories(path);
            DirectoryLock lock = DirectoryLock.of(path);
            try {
                DirectoryFormat.claim(path);
            } catch (IOException | RuntimeException e) {
                lock.close();
                throw e;
            }
            LogDirectory directory = new LogDirectory(path, options, callback, lock);
            directory.thread.start();
            return directory;
        } catch (IOException e) {
            throw LogException.of("open", path.toString(), e);
        }
    }

    /**
     * Returns the log of a partition, which is recovered or created at the first call.
     *
     * @param name topic and number, as in {@code orders-0}
     * @throws LogException if the log's files are damaged, or the disk refuses
     */
    public PartitionLog partition(String name) {
        if (isClosing || !PARTITION.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "not the name of a partition, such as orders-0, or the directory is closed: name=" + name
                            + ", closed=" + isClosing);
        }
        return logs.computeIfAbsent(name, this::open).log();
    }

    private OpenLog open(String name) {
        try {
            PartitionLog log = PartitionLog.open(name, DiskFolder.writable(path.resolve(name)), options);
            Maintenance maintenance = new Maintenance(log);
            maintenance.allocate();
            return new OpenLog(log, maintenance);
        } catch (IOException e) {
            throw LogException.of("create", path.resolve(name).toString(), e);
        }
    }

    /** Returns the offset before which all records of an open partition survive a crash of the machine. */
    public long durableOffset(PartitionLog log) {
        return logs.get(log.name()).maintenance().durableOffset();
    }

    /**
     * Requests a flush of everything appended before the call. The callback reports its end. Requests that arrive
     * during a flush share the next one.
     */
    public void requestFlush() {
        if (!flushRequested) {
            flushRequested = true;
            LockSupport.unpark(thread);
        }
    }

    private void maintain() {
        long intervalNs = options.flushInterval().toNanos();
        long lastRound = System.nanoTime();
        while (!isClosing) {
            boolean isRequested = flushRequested;
            boolean isDue = System.nanoTime() - lastRound >= intervalNs;
            if (isRequested || isDue) {
                flushRequested = false;
                flush(isRequested || options.flush() != LogOptions.FlushPolicy.NONE);
            }
            if (isDue) {
                lastRound = System.nanoTime();
                logs.values().forEach(each -> each.maintenance().retain(System.currentTimeMillis()));
            }
            if (!flushRequested) {
                LockSupport.parkNanos(this, intervalNs - (System.nanoTime() - lastRound));
            }
        }
    }

    private void flush(boolean forces) {
        for (OpenLog each : logs.values()) {
            try {
                flush(each, forces);
            } catch (RuntimeException e) {
                // Without maintenance, nothing that is appended becomes durable. The other logs go on.
                each.log().fail(new LogException(LogException.Code.IO, "its maintenance has failed: " + e, e));
            }
        }
    }

    private void flush(OpenLog each, boolean forces) {
        if (forces && each.maintenance().isDirty()) {
            each.maintenance().flush();
            callback.onDurable(each.log(), each.maintenance().durableOffset());
        }
        each.maintenance().seal();
        each.maintenance().allocate();
    }

    /** Flushes and closes all logs, and releases the directory. No thread may append during the call. Waits. */
    @Override
    public void close() {
        if (isClosing) {
            return;
        }
        isClosing = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
            logs.values().forEach(each -> each.maintenance().close());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // recovery scans the heads that have no seal
        } finally {
            release();
        }
    }

    private void release() {
        try {
            lock.close();
        } catch (IOException e) {
            throw LogException.of("unlock", path.toString(), e);
        }
    }
}
