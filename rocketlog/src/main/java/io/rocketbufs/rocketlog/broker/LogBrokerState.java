package io.rocketbufs.rocketlog.broker;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The state of a broker at one moment.
 *
 * @param uptimeMs time since the broker was opened, in milliseconds
 * @param listeners transport and address of each listener
 * @param directory directory that contains the logs
 * @param clientCount number of connected clients
 * @param producerCount total number of these clients' producers
 * @param topics the broker's topics
 */
record LogBrokerState(
        long uptimeMs, List<String> listeners, Path directory, int clientCount, int producerCount, LogTopics topics) {
    /** Returns the number of segments that consumers have open. */
    long openSegmentCount() {
        return topics.partitions().mapToLong(LogPartition::readerCount).sum();
    }

    /** Returns the number of open segments in which consumers wait for new records. */
    long waitingSegmentCount() {
        return topics.partitions().mapToLong(LogPartition::waitCount).sum();
    }

    /** Returns the number of partitions whose logs have failed and accept no further records. */
    long failedCount() {
        return topics.partitions().filter(each -> each.failure() != null).count();
    }

    /** Returns the number of partitions with a lease, into whose logs producers can write directly. */
    long leaseCount() {
        return topics.partitions().filter(each -> each.leaseHolder() != null).count();
    }

    /** Returns the fields of the status page. */
    Map<String, Object> json(boolean isReady) {
        LogCounters counters = topics.counters();
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("ready", isReady);
        fields.put("uptimeMs", uptimeMs);
        fields.put("listeners", listeners);
        fields.put("directory", directory.toString());
        fields.put("clients", clientCount);
        fields.put("producers", producerCount);
        fields.put("requests", counters.requests.sum());
        fields.put("requestsByType", counters.requests.all());
        fields.put("topics", topics.count());
        fields.put("partitions", topics.partitionCount());
        fields.put("failedTopics", topics.failedCount());
        fields.put("failedPartitions", failedCount());
        fields.put("memoryBytes", topics.memory().usedBytes());
        fields.put("memoryLimit", topics.memory().limit());
        fields.put("openSegments", openSegmentCount());
        fields.put("openedSegments", counters.openedSegments.sum());
        fields.put("closedSegments", counters.closedSegments.sum());
        fields.put("waitingSegments", waitingSegmentCount());
        fields.put("revokedSegments", counters.revokedSegments.sum());
        fields.put("appendedBatches", counters.appendedBatches.sum());
        fields.put("appendedBytes", counters.appendedBytes.sum());
        fields.put("duplicateBatches", counters.duplicateBatches.sum());
        fields.put("refusedBatches", counters.refusedBatches.sum());
        fields.put("refusals", counters.refusedBatches.all());
        fields.put("leases", leaseCount());
        fields.put("startedLeases", counters.startedLeases.sum());
        fields.put("writtenBatches", counters.writtenBatches.sum());
        fields.put("changedLeases", counters.changedLeases.sum());
        fields.put("brokenLeases", counters.brokenLeases.sum());
        return fields;
    }

    /** Returns the fields of a topic. */
    static Map<String, Object> json(LogTopic topic) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", topic.name());
        fields.put("storage", topic.isInMemory() ? "memory" : "disk");
        if (topic.isInMemory()) {
            fields.put("capacity", topic.capacity());
        }
        fields.put("failure", topic.failure());
        fields.put(
                "partitions",
                topic.partitions().stream().map(LogBrokerState::json).toList());
        return fields;
    }

    private static Map<String, Object> json(LogPartition partition) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", partition.name());
        fields.put("startOffset", partition.startOffset());
        fields.put("nextOffset", partition.nextOffset());
        fields.put("durableOffset", partition.durableOffset());
        fields.put("leaseHolder", partition.leaseHolder());
        fields.put(
                "failure",
                partition.failure() == null ? null : partition.failure().getMessage());
        return fields;
    }
}
