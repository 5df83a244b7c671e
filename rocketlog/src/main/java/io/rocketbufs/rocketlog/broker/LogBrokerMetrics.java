package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.metrics.MetricsSource;
import io.rocketbufs.rocketlog.protocol.LogMessageType;
import io.rocketbufs.web.ServerMetrics;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * The metrics of a broker, in Prometheus' text format.
 *
 * <p><i>Thread-safety:</i> any thread.
 */
final class LogBrokerMetrics implements AutoCloseable {
    private final ServerMetrics all;
    private final Supplier<LogBrokerState> state;

    LogBrokerMetrics(Supplier<LogBrokerState> state, MetricsSource framework) {
        this.state = state;
        this.all = ServerMetrics.ofProcess(framework);
        all.addJvm();
        gauge("rocketlog.clients", "Connected clients", LogBrokerState::clientCount);
        gauge("rocketlog.producers", "Producers of connected clients", LogBrokerState::producerCount);
        gauge("rocketlog.topics", "Topics", now -> now.topics().count());
        gauge(
                "rocketlog.partitions",
                "Partitions of all topics",
                now -> now.topics().partitionCount());
        gauge(
                "rocketlog.failed.topics",
                "Topics that cannot be used because their files are damaged",
                now -> now.topics().failedCount());
        gauge(
                "rocketlog.failed.partitions",
                "Partitions whose logs accept nothing further because the disk has failed or their files are damaged",
                LogBrokerState::failedCount);
        gauge(
                "rocketlog.memory.used",
                "Memory used by topics in memory, in bytes, limited by rocketlog.memory.limit",
                now -> now.topics().memory().usedBytes());
        counter(
                "rocketlog.overwritten.records",
                "Records of topics in memory whose memory has been reused for later ones",
                counters -> counters.overwrittenRecords);
        gauge("rocketlog.open.segments", "Segments that consumers have open", LogBrokerState::openSegmentCount);
        counter(
                "rocketlog.opened.segments",
                "Segments that consumers have opened. Reading and polling do not run any other code of the broker",
                counters -> counters.openedSegments);
        gauge(
                "rocketlog.waiting.segments",
                "Open segments whose consumers have read everything and wait instead of polling",
                LogBrokerState::waitingSegmentCount);
        all.counter(
                "rocketlog.wait.requests",
                "Requests of consumers to wait for records; each is answered once, when there is something to read",
                () -> state.get().topics().counters().requests.count(LogMessageType.WAIT));
        counter(
                "rocketlog.revoked.segments",
                "Deleted segments that were taken from consumers after rocketlog.consume.deleted-segment-timeout",
                counters -> counters.revokedSegments);
        counter("rocketlog.appended.batches", "Batches appended", counters -> counters.appendedBatches);
        counter("rocketlog.appended.bytes", "Bytes of these batches", counters -> counters.appendedBytes);
        counter(
                "rocketlog.duplicate.batches",
                "Batches that producers sent again, and that were not appended again",
                counters -> counters.duplicateBatches);
        addRefusals();
        addLeases();
    }

    private void addRefusals() {
        for (BatchRefusals.Reason reason : BatchRefusals.Reason.values()) {
            all.counter(
                    "rocketlog.refused.batches",
                    "Batches that were not appended, by reason",
                    "reason",
                    reason.label(),
                    () -> state.get().topics().counters().refusedBatches.count(reason));
        }
    }

    private void addLeases() {
        gauge(
                "rocketlog.leases",
                "Partitions to whose logs producers can currently write directly",
                LogBrokerState::leaseCount);
        counter(
                "rocketlog.started.leases",
                "Leases that have begun, including those that the disk or the device then refused",
                counters -> counters.startedLeases);
        counter(
                "rocketlog.written.batches",
                "Appended batches that producers wrote directly into logs",
                counters -> counters.writtenBatches);
        counter(
                "rocketlog.changed.leases",
                "Leases during which a producer changed records after they were acknowledged",
                counters -> counters.changedLeases);
        counter(
                "rocketlog.broken.leases",
                "Shared leases that ended because a batch was missing or invalid; other batches were then sent again",
                counters -> counters.brokenLeases);
    }

    private void gauge(String name, String description, ToLongFunction<LogBrokerState> value) {
        all.gauge(name, description, () -> value.applyAsLong(state.get()));
    }

    private void counter(String name, String description, Function<LogCounters, LongAdder> counter) {
        all.counter(
                name,
                description,
                () -> counter.apply(state.get().topics().counters()).sum());
    }

    /** Returns the current values of all metrics. */
    String scrape() {
        return all.scrape();
    }

    @Override
    public void close() {
        all.close();
    }
}
