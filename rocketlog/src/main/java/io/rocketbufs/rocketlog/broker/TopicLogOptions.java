package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.broker.LogTopics.RefusedException;
import io.rocketbufs.rocketlog.log.LogOptions;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.LogTopicOptions;
import java.time.Duration;

/**
 * The options of the logs of all topics. The broker's options apply unless a topic overrides them.
 *
 * <p><i>Thread-safety:</i> immutable.
 */
final class TopicLogOptions {
    private final LogOptions ofBroker;
    private final LogTopicOptions defaults;

    TopicLogOptions(LogOptions ofBroker) {
        this.ofBroker = ofBroker;
        this.defaults = new LogTopicOptions(
                ofBroker.retentionTime() == null
                        ? LogTopicOptions.UNLIMITED
                        : ofBroker.retentionTime().toMillis(),
                ofBroker.retentionLength() == 0 ? LogTopicOptions.UNLIMITED : ofBroker.retentionLength(),
                ofBroker.segmentLength());
    }

    /**
     * Checks the options of a new topic.
     *
     * @throws RefusedException if an option is out of range, or the topic is in memory and therefore cannot have
     *     options
     */
    void check(String topic, LogTopicOptions own, boolean isInMemory) throws RefusedException {
        String problem = own.problem();
        String remedy = "create the topic with another value";
        if (problem == null && isInMemory && !own.equals(LogTopicOptions.NONE)) {
            problem = String.join(", ", own.names()) + " cannot be set for a topic in memory, whose capacity determines"
                    + " what it keeps";
            remedy = "create the topic without these options";
        }
        boolean hasSegment = own.segmentLength() != LogTopicOptions.UNSET;
        if (problem == null && hasSegment && own.segmentLength() < ofBroker.longestBatch()) {
            problem = LogTopicOptions.SEGMENT_LENGTH + "=" + own.segmentLength()
                    + " bytes is less than rocketlog.batch.longest=" + ofBroker.longestBatch();
            remedy = "create the topic with longer segments, or lower rocketlog.batch.longest at the broker";
        }
        if (problem != null) {
            throw new RefusedException(LogRefusal.INVALID, "topic " + topic + ": " + problem, remedy);
        }
    }

    /**
     * Returns the options that apply to a topic on the disk. A segment is always at least as long as the longest batch,
     * even if the broker now accepts longer batches than when the topic was created.
     */
    LogTopicOptions inForce(LogTopicOptions own) {
        LogTopicOptions all = own.or(defaults);
        return new LogTopicOptions(
                all.retentionMs(), all.retentionLength(), Math.max(all.segmentLength(), ofBroker.longestBatch()));
    }

    /** Returns the options of the logs of a topic on the disk. */
    LogOptions of(LogTopicOptions own) {
        LogTopicOptions all = inForce(own);
        Duration time = all.retentionMs() == LogTopicOptions.UNLIMITED ? null : Duration.ofMillis(all.retentionMs());
        return ofBroker.withSegments((int) all.segmentLength(), ofBroker.allocationStep(), ofBroker.longestBatch())
                .withRetention(time, Math.max(0, all.retentionLength()));
    }
}
