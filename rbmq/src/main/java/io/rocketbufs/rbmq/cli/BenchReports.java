package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.rbmq.bench.BenchLoad;
import io.rocketbufs.rbmq.bench.BenchResult;
import io.rocketbufs.rbmq.bench.CpuTimes;
import io.rocketbufs.rbmq.bench.Latencies;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The final reports of a benchmark's roles.
 *
 * @param publishers the report of each publisher process
 * @param subscribers the detailed report of each subscriber process
 */
record BenchReports(List<Config> publishers, List<Config> subscribers) {
    /** Combines the reports into a result. */
    BenchResult result(BenchLoad load, CpuTimes cpu, BenchResult.Transports transports, BenchResult.Span span) {
        return new BenchResult(
                load,
                new BenchResult.Rates(publishedPerSecond(), perSubscriber()),
                new BenchResult.Faults(lost(), sumOf("duplicated"), sumOf("reordered"), sumOf("corrupted")),
                latencies(),
                cpu,
                transports,
                span);
    }

    long sent() {
        return publishers.stream().mapToLong(each -> each.getLong("sent")).sum();
    }

    double publishedPerSecond() {
        return publishers.stream().mapToDouble(each -> each.getDouble("per_s")).sum();
    }

    List<Double> perSubscriber() {
        return subscribers.stream()
                .flatMap(process -> process.getConfigList("each").stream())
                .map(each -> each.getDouble("per_s"))
                .toList();
    }

    /**
     * Returns the number of lost messages: for each subscriber, the messages sent minus the distinct messages received.
     * This includes messages lost at the end of a sequence.
     */
    long lost() {
        long sent = sent();
        return subscribers.stream()
                .flatMap(process -> process.getConfigList("each").stream())
                .mapToLong(each -> Math.max(0, sent - each.getLong("received") + each.getLong("duplicated")))
                .sum();
    }

    /** Returns the latencies of all timed messages; null if no message was timed. */
    Histogram latencies() {
        return Latencies.sum(subscribers.stream()
                .map(each -> Latencies.decode(each.getString("latencies")))
                .toList());
    }

    long sumOf(String finding) {
        return subscribers.stream().mapToLong(each -> each.getLong(finding)).sum();
    }
}
