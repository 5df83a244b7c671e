package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.broker.LogTopics.RefusedException;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * The deletion of one topic. The topic is gone as soon as the disk has stored that. Its files are removed when nothing
 * appends to its logs any more, which takes as long as their leases need to end.
 *
 * <pre>
 *   start: topic gone, logs reject, leases and grants end
 *     --&gt; turn of each partition free --&gt; files removed --&gt; answer
 * </pre>
 *
 * <p><i>Thread-safety:</i> one thread at a time, which waits for the disk; {@link #onTurn}, any thread.
 */
final class TopicDeletion extends AppendTurn.Waiter {
    private final Terms terms;
    private final String name;
    private final Answer answer;
    private LogTopic topic;
    private int next;

    /**
     * The state that all deletions of a broker share.
     *
     * @param topics the topics
     * @param disk runs tasks that wait for the disk, one at a time
     * @param permitted names of the topics that clients may delete; {@code *} stands for all
     */
    record Terms(LogTopics topics, Executor disk, List<String> permitted) {
        /** Returns why clients may not delete a topic, or null if the settings permit it. */
        String denial(String topic) {
            return permitted.contains(topic) || permitted.contains("*")
                    ? null
                    : "topic " + topic + ": clients have no permission to delete it; add the topic to"
                            + " rocketlog.deletable-topics at the broker";
        }
    }

    /** The answer to the client. */
    interface Answer {
        /**
         * Called once, on any thread.
         *
         * @param refusal why the topic was not deleted, or has left files; null if nothing of it is left
         */
        void onDone(RefusedException refusal);
    }

    TopicDeletion(Terms terms, String name, Answer answer) {
        this.terms = terms;
        this.name = name;
        this.answer = answer;
    }

    /** Deletes the topic. Waits for the disk. */
    void start() {
        try {
            topic = terms.topics().delete(name);
        } catch (RefusedException e) {
            answer.onDone(e);
            return;
        }
        if (topic == null) {
            answer.onDone(null);
        } else {
            goOn();
        }
    }

    @Override
    void onTurn() {
        terms.disk().execute(this::goOn);
    }

    /** Waits until nothing appends. Whatever appends afterwards is rejected before it touches a file. */
    private void goOn() {
        while (next < topic.partitions().size()) {
            LogPartition partition = topic.partitions().get(next);
            if (!partition.turn().enter(this)) {
                partition.endLease();
                return;
            }
            partition.turn().exit();
            next++;
        }
        try {
            terms.topics().remove(topic);
            answer.onDone(null);
        } catch (RefusedException e) {
            answer.onDone(e);
        }
    }
}
