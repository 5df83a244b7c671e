package io.rocketbufs.rbmq.broker;

import io.rocketbufs.settings.ReloadedFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.slf4j.MarkerFactory;

/**
 * The settings of a broker that are in force, and their replacement by a reload. All threads read the settings through
 * a single reference, so that no thread sees a partial reload:
 *
 * <pre>
 *                  the source is read       every part is prepared
 *   IN FORCE -------------------------&gt; READ -----------------------&gt; the next settings are IN FORCE
 *    ^                                    |                                |
 *    |                                    |                          sessions are reviewed, changes are logged
 *    +------- mistakes, all logged -------+
 * </pre>
 *
 * <p><b>Thread-safety:</b> any thread. One reload takes place at a time.
 */
final class Reloads {
    private static final String CLOSED = "the broker is closed";
    /** Maximum time for which closing waits for a reload; only the reading of files can take longer. */
    private static final long CLOSE_MS = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(Reloads.class);

    /** Marks log lines that an operator causes, rather than a client; see the log's limit in rocketbufs-cli. */
    private static final Marker OPERATOR = MarkerFactory.getMarker("operator");

    private final ReloadSource source;
    private final Consumer<BrokerSettings> onReloaded;
    private final List<ReloadedPart> parts = new CopyOnWriteArrayList<>();
    private final List<Supplier<ReloadedFiles>> files = new CopyOnWriteArrayList<>();
    /** Held during a reload. */
    private final ReentrantLock lock = new ReentrantLock();

    private final AtomicInteger signalCount = new AtomicInteger();
    private volatile InForce inForce;
    private volatile boolean closed;

    /** The settings and the objects derived from them. */
    private record InForce(BrokerSettings settings, Users users, TopicRules rules) {
        private InForce next(BrokerSettings changed) {
            return new InForce(changed, users.changedTo(changed.access()), new TopicRules(changed));
        }
    }

    /**
     * Creates an instance with the initial settings in force.
     *
     * @param source the source of later reloads; null if the embedding program replaces the settings itself
     * @param onReloaded called after a reload with the settings that were previously in force
     */
    Reloads(BrokerSettings settings, RefusalCounts refusals, ReloadSource source, Consumer<BrokerSettings> onReloaded) {
        this.inForce = new InForce(settings, new Users(settings.access(), refusals), new TopicRules(settings));
        this.source = source;
        this.onReloaded = onReloaded;
    }

    // Access to the settings in force.

    BrokerSettings settings() {
        return inForce.settings;
    }

    Users users() {
        return inForce.users;
    }

    TopicRules rules() {
        return inForce.rules;
    }

    /** Returns the maximum number of messages that a group hands to a member at a time. */
    int groupBatch() {
        return inForce.settings.groupBatch();
    }

    BrokerSettings.Limits limits() {
        return inForce.settings.limits();
    }

    // Replacement of the settings.

    /** Adds a part whose settings are replaced by every later reload. */
    void add(ReloadedPart part) {
        parts.add(part);
    }

    /**
     * Adds files that are reread by every later reload.
     *
     * @param reading reads the files; throws an IllegalArgumentException naming the key and the file if a file cannot
     *     be used
     */
    void addFiles(Supplier<ReloadedFiles> reading) {
        files.add(reading);
    }

    /**
     * Reads the configuration from the source and puts it into force.
     *
     * @throws ReloadException listing all errors, which are also logged; in that case, nothing has changed
     * @throws IllegalStateException naming the {@link #obstacle()}
     */
    ReloadReport reload() {
        lock.lock();
        try {
            check(obstacle());
            return reload(read());
        } finally {
            lock.unlock();
        }
    }

    private BrokerSettings read() {
        try {
            return source.read(settings());
        } catch (ReloadException e) {
            logMistakes(e);
            throw e;
        }
    }

    /**
     * Puts settings into force.
     *
     * @param read the complete configuration, as returned by {@link BrokerSettings#reloaded}
     * @throws ReloadException listing all errors, which are also logged; in that case, nothing has changed
     * @throws IllegalStateException when the broker is closed
     */
    ReloadReport reload(BrokerSettings read) {
        List<ReloadedFiles> reloaded = new ArrayList<>();
        lock.lock();
        try {
            return reload(read, reloaded);
        } finally {
            reloaded.forEach(ReloadedFiles::close);
            lock.unlock();
        }
    }

    private ReloadReport reload(BrokerSettings read, List<ReloadedFiles> reloaded) {
        BrokerSettings former = settings();
        BrokerSettings next = read.runningAs(former);
        List<Runnable> steps = prepare(next, reloaded);
        check(closed ? CLOSED : null);
        SettingsChanges changes = new SettingsChanges(former, read);
        List<String> applied = new ArrayList<>(changes.applied());
        reloaded.forEach(each -> applied.addAll(each.changes()));
        ReloadReport report = new ReloadReport(applied, changes.notApplied());
        List<String> knownWarnings = former.warnings();
        inForce = inForce.next(next);
        steps.forEach(Runnable::run);
        log(report);
        next.warnings().stream()
                .filter(warning -> !knownWarnings.contains(warning))
                .forEach(LOG::warn);
        onReloaded.accept(former);
        return report;
    }

    /**
     * Prepares all parts and rereads the files.
     *
     * @param reloaded receives the files that have been read
     */
    private List<Runnable> prepare(BrokerSettings next, List<ReloadedFiles> reloaded) {
        List<Runnable> steps = new ArrayList<>();
        List<String> mistakes = new ArrayList<>();
        for (ReloadedPart part : parts) {
            try {
                steps.add(part.prepare(next));
            } catch (ReloadException e) {
                mistakes.addAll(e.mistakes());
            }
        }
        for (Supplier<ReloadedFiles> reading : files) {
            try {
                ReloadedFiles read = reading.get();
                reloaded.add(read);
                steps.add(read::apply);
            } catch (IllegalArgumentException e) {
                mistakes.add(e.getMessage());
            }
        }
        if (!mistakes.isEmpty()) {
            ReloadException refusal = new ReloadException(mistakes);
            logMistakes(refusal);
            throw refusal;
        }
        return steps;
    }

    private static void log(ReloadReport report) {
        report.changes().forEach(line -> LOG.info(OPERATOR, line));
        report.notApplied().forEach(line -> LOG.warn(OPERATOR, line));
        LOG.info(
                "The configuration was reloaded: changes in force: {}, changes that need a restart: {}",
                report.changes().size(),
                report.notApplied().size());
    }

    private static void logMistakes(ReloadException refusal) {
        refusal.mistakes().forEach(line -> LOG.error(OPERATOR, line));
        LOG.error("The configuration was not reloaded, and nothing has changed, because of the errors above");
    }

    /**
     * Reloads in response to a signal. Does not throw; the result is logged. Any number of signals that arrive during a
     * reload cause a single further reload.
     */
    void onSignal() {
        if (signalCount.getAndUpdate(count -> Math.min(2, count + 1)) == 2) {
            return; // one reload is in progress, and another is pending and will read the newest files
        }
        lock.lock();
        try {
            if (!closed) {
                reload();
            }
        } catch (ReloadException e) {
            // The errors have already been logged.
        } catch (RuntimeException | Error e) {
            logFailure(e);
        } finally {
            signalCount.decrementAndGet();
            lock.unlock();
        }
    }

    private void logFailure(Throwable failure) {
        if (closed) {
            LOG.info("The configuration was not reloaded, because {}", CLOSED);
        } else {
            LOG.error("The configuration was not reloaded, because of an internal error", failure);
        }
    }

    /**
     * Refuses later reloads. Waits for a reload in progress; if that reload takes too long to read a file, it changes
     * nothing.
     */
    void close() {
        closed = true;
        try {
            if (lock.tryLock(CLOSE_MS, TimeUnit.MILLISECONDS)) {
                lock.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns why {@link #reload()} is not possible; null if it is possible. */
    String obstacle() {
        if (source == null) {
            return "the configuration of this broker belongs to the program that contains it, which can reload it";
        }
        return closed ? CLOSED : null;
    }

    private static void check(String obstacle) {
        if (obstacle != null) {
            throw new IllegalStateException(obstacle);
        }
    }
}
