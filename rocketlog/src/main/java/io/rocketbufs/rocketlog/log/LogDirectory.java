package io.rocketbufs.rocketlog.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory that contains the logs of all partitions, each in its own folder. One thread maintains all logs. In each
 * round, it flushes everything that has accumulated, so that many producers share one flush.
 *
 * <p><i>Thread-safety:</i> any thread. <i>Ownership:</i> the directory owns and closes its logs.
 */
public final class LogDirectory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LogDirectory.class);
    /** The valid partition names, whose lengths keep the names of folders within 255 bytes. */
    private static final Pattern PARTITION = Pattern.compile("[a-zA-Z0-9._-]{1,244}-[0-9]{1,10}");

    private static final int OPENING_THREADS = 8;
    /**
     * Number of rounds between two checks for truncated files. With a thousand logs, checking in every round would
     * consume most of the processor time allowed for an idle broker.
     */
    private static final int ROUNDS_PER_CHECK = 10;

    private final Path path;
    private final LogOptions options;
    private final LogListener listener;
    private final DirectoryLock lock;
    private final Map<String, OpenLog> logs = new ConcurrentHashMap<>();
    /** The logs that {@link #open(Map)} could not open. */
    private final Map<String, PartitionLog> unopened = new ConcurrentHashMap<>();

    private final Thread thread;
    /** Number of regular rounds. Accessed only by the maintenance thread. */
    private int rounds;

    private volatile boolean isClosing;
    private volatile boolean flushRequested;
    /** False if the name of at least one folder might not have been forced yet. */
    private volatile boolean areNamesForced = true;

    /** Write-locked when the directory starts closing, and read-locked while a log is being opened. */
    private final ReadWriteLock opening = new ReentrantReadWriteLock();

    private static final class OpenLog {
        final PartitionLog log;
        final Maintenance maintenance;
        /** Accessed only by the maintenance thread. */
        boolean failureReported;

        OpenLog(PartitionLog log) {
            this.log = log;
            this.maintenance = new Maintenance(log);
        }
    }

    private LogDirectory(Path path, LogOptions options, LogListener listener, DirectoryLock lock) {
        this.path = path;
        this.options = options;
        this.listener = listener;
        this.lock = lock;
        this.thread = new Thread(this::maintain, "rocketlog-maintenance");
        thread.setDaemon(true);
    }

    /**
     * Opens a directory, and creates it if it does not exist.
     *
     * @param listener notified of durable records and failures
     * @throws LogException if another process uses the directory, the directory has another format, or a disk operation
     *     fails
     */
    public static LogDirectory open(Path path, LogOptions options, LogListener listener) {
        try {
            DiskFolder.writable(path);
            DirectoryFormat.refuseForeign(path); // before this program creates a file in it
            DirectoryLock lock = DirectoryLock.of(path);
            try {
                DirectoryFormat.claim(path);
                DiskFolder.writable(path).force(); // forces the names of all logs' folders at once
            } catch (IOException | RuntimeException e) {
                lock.close();
                throw e;
            }
            LogDirectory directory = new LogDirectory(path, options, listener, lock);
            directory.thread.start();
            return directory;
        } catch (IOException e) {
            throw LogException.of("open", path.toString(), e);
        }
    }

    /**
     * Returns the log of a partition. The first call for a partition recovers or creates its log.
     *
     * @param name topic and number, such as {@code orders-0}
     * @throws IllegalArgumentException if the name is not a valid partition name
     * @throws LogException if the log's files are damaged, a disk operation fails, or the directory is closed
     */
    public PartitionLog partition(String name) {
        return partition(name, options);
    }

    /**
     * Returns the log of a partition as {@link #partition(String)} does, with options for this log.
     *
     * @param own options for segments and retention, used if this call opens the log; the directory's options determine
     *     everything else
     */
    public PartitionLog partition(String name, LogOptions own) {
        return partition(name, own, new RecoveryProgress(1, System::nanoTime));
    }

    private PartitionLog partition(String name, LogOptions own, RecoveryProgress progress) {
        OpenLog open = logs.get(name);
        if (open != null) {
            return open.log;
        }
        PartitionLog refused = unopened.get(name);
        if (refused != null) {
            return refused;
        }
        if (!PARTITION.matcher(name).matches()) {
            throw new IllegalArgumentException("not the name of a partition, such as orders-0: name=" + name);
        }
        opening.readLock().lock();
        try {
            requireOpen();
            return logs.computeIfAbsent(name, absent -> open(absent, own, progress)).log;
        } finally {
            opening.readLock().unlock();
        }
    }

    private void requireOpen() {
        if (isClosing) {
            throw new LogException(LogException.Code.CLOSED, path + " is closed", "open it again", null);
        }
    }

    /**
     * Opens several logs as {@link #partition(String, LogOptions)} does. Opens some logs in parallel, because most of
     * the time needed to open a log is spent waiting for the disk. A log whose files are damaged or unreadable is not
     * opened, and does not affect the other logs: {@link #partition(String)} returns it without records, and its
     * {@linkplain PartitionLog#failure failure} gives the reason. Logs the progress each second while logs are being
     * recovered.
     *
     * @param wanted the options of each log, by name
     * @throws LogException if a log cannot be opened for a reason that affects all logs, such as a lack of file
     *     descriptors. The exception thrown is that of the first such log; the exceptions of other such logs are added
     *     as suppressed exceptions
     */
    public void open(Map<String, LogOptions> wanted) {
        ExecutorService threads = Executors.newFixedThreadPool(OPENING_THREADS, task -> {
            Thread opener = new Thread(task, "rocketlog-opening");
            opener.setDaemon(true);
            return opener;
        });
        RecoveryProgress progress = new RecoveryProgress(wanted.size(), System::nanoTime);
        RuntimeException failure = null;
        try {
            List<CompletableFuture<Void>> opened = wanted.entrySet().stream()
                    .map(each -> CompletableFuture.runAsync(
                            () -> openOrRefuse(each.getKey(), each.getValue(), progress), threads))
                    .toList();
            tickUntilDone(opened, progress);
            for (CompletableFuture<Void> each : opened) {
                failure = attempt(failure, () -> join(each));
            }
        } finally {
            threads.shutdown();
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Waits for all logs, and reports the progress: the threads that open logs cannot do so during a flush. */
    private static void tickUntilDone(List<CompletableFuture<Void>> opened, RecoveryProgress progress) {
        CompletableFuture<Void> all = CompletableFuture.allOf(opened.toArray(CompletableFuture[]::new))
                .exceptionally(failure -> null); // the caller handles failures
        while (!all.isDone()) {
            all.copy()
                    .completeOnTimeout(null, RecoveryProgress.INTERVAL_MS, TimeUnit.MILLISECONDS)
                    .join();
            progress.tick();
        }
    }

    private void openOrRefuse(String name, LogOptions own, RecoveryProgress progress) {
        try {
            partition(name, own, progress);
        } catch (LogException e) {
            if (!e.isOfOneLog()) {
                throw e;
            }
            LOG.error(
                    "{} cannot be opened, and accepts and returns no records until the broker is restarted: {}",
                    name,
                    e.getMessage());
            unopened.put(name, PartitionLog.unopened(name, own, e));
        }
    }

    private static void join(CompletableFuture<Void> opened) {
        try {
            opened.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private OpenLog open(String name, LogOptions own, RecoveryProgress progress) {
        try {
            LogFolder folder =
                    areNamesForced ? DiskFolder.writableIn(path, name) : DiskFolder.writable(path.resolve(name));
            OpenLog open = new OpenLog(PartitionLog.open(name, folder, own, this::requestFlush, progress));
            open.maintenance.allocate();
            return open;
        } catch (IOException e) {
            areNamesForced = false;
            throw LogException.of("create", path.resolve(name).toString(), e);
        }
    }

    /**
     * Closes a log that has been {@linkplain PartitionLog#delete deleted}, and removes it from this directory. The
     * log's files remain until {@link FolderRemoval} removes them. Does nothing if the log does not belong to this
     * directory. No thread may append during the call.
     *
     * @throws LogException if a file cannot be closed, or the directory is closed
     */
    public void remove(PartitionLog log) {
        unopened.remove(log.name(), log);
        OpenLog open = logs.get(log.name());
        if (open == null || open.log != log) {
            return;
        }
        opening.readLock().lock();
        try {
            requireOpen();
            logs.remove(log.name());
        } finally {
            opening.readLock().unlock();
        }
        try {
            open.maintenance.close();
        } finally {
            listener.onFailed(log, log.failure());
        }
    }

    /**
     * Returns the offset before which all records of a partition survive a crash of the machine. Returns 0 if the log
     * was deleted or could not be opened.
     *
     * @throws IllegalArgumentException if the log does not belong to this directory
     */
    public long durableOffset(PartitionLog log) {
        OpenLog open = logs.get(log.name());
        if (open != null && open.log == log) {
            return open.maintenance.durableOffset();
        }
        if (unopened.get(log.name()) == log) {
            return 0;
        }
        LogException failure = log.failure(); // read last: a log is deleted before it is removed
        if (failure != null && failure.code() == LogException.Code.DELETED) {
            return 0;
        }
        throw new IllegalArgumentException(log.name() + " is not a log of " + path);
    }

    /**
     * Requests a flush of everything appended before the call. The listener is called when the flush is complete.
     * Requests that arrive during a flush share the next flush. Under {@link LogOptions.FlushPolicy#ALWAYS}, each
     * append requests a flush.
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
            try {
                boolean isDue = System.nanoTime() - lastRound >= intervalNs;
                if (isDue) {
                    lastRound = System.nanoTime();
                }
                round(isDue);
            } catch (Throwable e) {
                failAll(e);
            }
            if (!flushRequested && !isClosing) {
                LockSupport.parkNanos(this, intervalNs - (System.nanoTime() - lastRound));
            }
        }
    }

    private void round(boolean isDue) {
        boolean isRequested = flushRequested;
        if (isRequested) {
            flushRequested = false; // a request that arrives later is handled in the next round
        }
        if (!isRequested && !isDue) {
            return;
        }
        rounds += isDue ? 1 : 0;
        boolean forces = isRequested || options.flush() != LogOptions.FlushPolicy.NONE;
        for (OpenLog each : logs.values()) {
            try {
                maintain(each, forces, isDue);
            } catch (RuntimeException e) {
                // Without maintenance, appended records never become durable. The other logs continue to work.
                each.log.fail(LogException.unexpected("its maintenance has failed", e));
            }
            reportFailure(each);
        }
    }

    private void maintain(OpenLog each, boolean forces, boolean isDue) {
        boolean checks = isDue && rounds % ROUNDS_PER_CHECK == 0;
        if (each.maintenance.isAtRest() && !checks) {
            return;
        }
        if (forces || isDue && each.maintenance.mustFlush()) {
            report(each, each.maintenance::flush);
        }
        each.maintenance.seal();
        each.maintenance.allocate();
        if (isDue && each.maintenance.retain(System.currentTimeMillis())) {
            listener.onDeleted(each.log);
        }
        if (checks && each.maintenance.checkLengths()) {
            listener.onTruncated(each.log);
        }
        each.maintenance.endRound();
    }

    /**
     * Runs an action, and reports the records that it has made durable. Also reports them if the action throws, because
     * closing a log forces all records before it seals the segments.
     */
    private void report(OpenLog each, Runnable action) {
        long before = each.maintenance.durableOffset();
        try {
            action.run();
        } finally {
            long durable = each.maintenance.durableOffset();
            if (durable > before) {
                listener.onDurable(each.log, durable);
            }
        }
    }

    private void reportFailure(OpenLog each) {
        LogException failure = each.log.failure();
        if (failure != null && !each.failureReported) {
            each.failureReported = true;
            try {
                listener.onFailed(each.log, failure);
            } catch (RuntimeException e) {
                failure.addSuppressed(e);
            }
        }
    }

    /** Fails all logs, because an error such as a lack of memory is not specific to one log. */
    private void failAll(Throwable e) {
        for (OpenLog each : logs.values()) {
            each.log.fail(LogException.unexpected("the maintenance of all logs has failed", e));
            reportFailure(each);
        }
    }

    /**
     * Flushes, seals and closes all logs, and releases the directory. Waits even if the thread is interrupted. No
     * thread may append during the call. A second call does nothing, and does not wait.
     *
     * @throws LogException if a log could not be flushed, sealed or closed. All logs are closed anyway, and reopening
     *     the directory recovers the records on the disk
     * @throws IllegalStateException if called by the listener
     */
    @Override
    public void close() {
        if (Thread.currentThread() == thread) {
            throw new IllegalStateException("the listener must not close the directory");
        }
        opening.writeLock().lock();
        try {
            if (isClosing) {
                return;
            }
            isClosing = true;
        } finally {
            opening.writeLock().unlock();
        }
        LockSupport.unpark(thread);
        boolean wasInterrupted = awaitMaintenance();
        RuntimeException failure = null;
        for (OpenLog each : logs.values()) {
            reportFailure(each);
            failure = attempt(failure, () -> report(each, each.maintenance::close));
        }
        failure = attempt(failure, this::release);
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Waits until the maintenance thread has ended. Returns true if this thread was interrupted. */
    private boolean awaitMaintenance() {
        boolean wasInterrupted = false;
        while (true) {
            try {
                thread.join();
                return wasInterrupted;
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
    }

    private static RuntimeException attempt(RuntimeException earlier, Runnable action) {
        try {
            action.run();
            return earlier;
        } catch (RuntimeException e) {
            if (earlier == null) {
                return e;
            }
            earlier.addSuppressed(e);
            return earlier;
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
