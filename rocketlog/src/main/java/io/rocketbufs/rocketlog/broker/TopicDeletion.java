package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.broker.LogTopics.RefusedException;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.RefusedRequest;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * The deletion of one topic. As soon as the disk has stored the deletion, the topic no longer exists, and the client
 * receives the response. A partition's files are removed once no thread appends to the partition's log; a lease may
 * have to end first. Each partition is removed in a separate task, so that other tasks need not wait for the whole
 * deletion.
 *
 * <pre>
 *   start: topic gone, logs reject, leases and grants end --&gt; answer
 *     --&gt; turn of a partition free --&gt; log closed, folder removed --&gt; next partition
 *     --&gt; topic's file removed
 * </pre>
 *
 * <p><i>Thread-safety:</i> confined to the thread that waits for the disk, except {@link #onTurn}, which any thread may
 * call.
 */
final class TopicDeletion extends AppendTurn.Waiter {
    private final Terms terms;
    private final String name;
    private final Answer answer;
    private LogTopic topic;
    private int next;
    /** Why a partition could not be removed; null if all were removed. */
    private RuntimeException failure;

    /**
     * State shared by all deletions of a broker.
     *
     * @param topics the broker's topics
     * @param disk runs tasks that wait for the disk, one at a time. Drops them while the broker is being closed; the
     *     next start then finishes the deletion
     * @param permitted names of the topics that clients may delete; {@code *} stands for all
     */
    record Terms(LogTopics topics, Executor disk, List<String> permitted) {
        /** Returns the refusal if clients may not delete a topic, or null if the settings permit it. */
        RefusedRequest denial(String topic) {
            return permitted.contains(topic) || permitted.contains("*")
                    ? null
                    : new RefusedRequest(
                            LogRefusal.DENIED,
                            "topic " + topic + ": clients are not permitted to delete it",
                            "add the topic to rocketlog.deletable-topics at the broker");
        }
    }

    /** The receiver of a deletion's result. */
    interface Answer {
        /**
         * Called once with the result, on the thread that waits for the disk.
         *
         * @param refusal why the topic was not deleted; null if it was deleted, in which case the deletion survives a
         *     crash
         */
        void onDone(RefusedException refusal);
    }

    TopicDeletion(Terms terms, String name, Answer answer) {
        this.terms = terms;
        this.name = name;
        this.answer = answer;
    }

    /** Deletes the topic. May block on disk I/O. */
    void start() {
        try {
            topic = terms.topics().delete(name);
        } catch (RefusedException e) {
            answer.onDone(e);
            return;
        }
        answer.onDone(null);
        if (topic != null) {
            onTurn();
        }
    }

    @Override
    void onTurn() {
        terms.disk().execute(this::goOn);
    }

    /** Removes the next partition as soon as its turn is free. Later appends are rejected before they access a file. */
    private void goOn() {
        if (next == topic.partitions().size()) {
            terms.topics().endDeletion(topic, failure);
            return;
        }
        LogPartition partition = topic.partitions().get(next);
        if (!partition.turn().enter(this)) {
            partition.endLease();
            return;
        }
        partition.turn().exit();
        next++;
        try {
            terms.topics().remove(partition);
        } catch (RuntimeException e) { // the other partitions are still removed
            failure = failure == null ? e : failure;
        }
        onTurn();
    }
}
