package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.broker.LogTopics.RefusedException;
import io.rocketbufs.rocketlog.log.LogException;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.text.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The deleted topics whose files still exist.
 *
 * <pre>
 *   none ---- begin ----&gt; under way ---- end ----&gt; none
 *                             |                      ^
 *                             +---- end ----&gt; failed +---- retry, and the next start
 * </pre>
 *
 * <p><i>Thread-safety:</i> one thread at a time.
 */
final class DeletedTopics {
    private static final Logger LOG = LoggerFactory.getLogger(DeletedTopics.class);
    /** Maximum number of tasks that wait for a deletion to end. */
    private static final int MOST_WAITING = 1000;

    private final TopicFiles files;
    /** Maps a topic to true while its files are being removed, and to false if they could not be removed. */
    private final Map<String, Boolean> deletions = new TreeMap<>();

    private final List<Runnable> waiting = new ArrayList<>();

    DeletedTopics(TopicFiles files) {
        this.files = files;
    }

    /** Completes the deletions that an earlier process left unfinished, by removing the topics' remaining files. */
    void finish() {
        for (String name : files.deletions()) {
            LogException failure = null;
            try {
                files.finishDeletion(name);
            } catch (LogException e) {
                failure = e;
            }
            ended(name, failure);
        }
    }

    /**
     * Deletes a topic. When this method returns, the topic no longer exists, even after a crash.
     *
     * @throws RefusedException if the deletion cannot be stored on the disk
     */
    void begin(String name) throws RefusedException {
        try {
            files.beginDeletion(name);
        } catch (LogException e) {
            throw new RefusedException(
                    LogRefusal.STORAGE,
                    "topic " + name + " was not deleted: " + e.getMessage(),
                    "then delete the topic again");
        }
        deletions.put(name, true);
    }

    /** Removes the folder of a partition whose log is closed. */
    void removeFolder(String partition) {
        files.removeFolder(partition);
    }

    /**
     * Removes the rest of a topic's files, after which its name can be used again, and runs the waiting tasks. Also
     * removes folders whose names denote partitions that the topic does not have. Otherwise, their records would appear
     * in a new topic with the same name and more partitions.
     *
     * @param failure why a partition could not be removed; null if all were removed
     */
    void end(String name, RuntimeException failure) {
        RuntimeException cause = failure;
        if (cause == null) {
            try {
                List<String> others = files.finishDeletion(name);
                if (!others.isEmpty()) {
                    LOG.warn(
                            "Folders that belonged to no partition of topic {} were deleted with it: {}", name, others);
                }
            } catch (RuntimeException e) {
                cause = e;
            }
        }
        ended(name, cause);
        List<Runnable> ready = List.copyOf(waiting);
        waiting.clear();
        ready.forEach(Runnable::run);
    }

    private void ended(String name, RuntimeException failure) {
        if (failure == null) {
            deletions.remove(name);
            LOG.info("The files of deleted topic {} have been removed", name);
        } else {
            deletions.put(name, false);
            LOG.error(
                    "The files of deleted topic {} could not be removed: {}; fix the cause, then delete the topic"
                            + " again or restart the broker",
                    name,
                    Reason.of(failure));
        }
    }

    /**
     * Retries the removal of a topic's files. Returns false, without trying, if no earlier attempt has failed.
     *
     * @throws RefusedException if the attempt fails; the message names the file and the remedy
     */
    boolean retry(String name) throws RefusedException {
        if (deletions.getOrDefault(name, true)) {
            return false;
        }
        try {
            files.finishDeletion(name);
        } catch (LogException e) {
            throw new RefusedException(
                    LogRefusal.STORAGE,
                    "topic " + name + " was deleted, but its files are still there: " + e.getMessage(),
                    "then delete the topic again");
        }
        deletions.remove(name);
        return true;
    }

    /** Returns true if the files of a topic are being removed. */
    boolean isUnderWay(String name) {
        return deletions.getOrDefault(name, false);
    }

    /**
     * Runs a task once, after the next deletion ends. Returns false if no deletion is under way, or if too many tasks
     * are already waiting.
     *
     * @param task must neither block nor throw exceptions
     */
    boolean afterEnd(Runnable task) {
        boolean canWait = waiting.size() < MOST_WAITING && deletions.containsValue(true);
        return canWait && waiting.add(task);
    }
}
