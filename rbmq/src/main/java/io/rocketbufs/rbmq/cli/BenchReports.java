package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.rbmq.bench.BenchLoad;
import io.rocketbufs.rbmq.bench.BenchResult;
import io.rocketbufs.rbmq.bench.CpuTimes;
import io.rocketbufs.rbmq.bench.Latencies;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * What the roles of a benchmark have said at their end.
 *
 * @param publishers each process's
 * @param subscribers each process's, in detail
 */
record BenchReports(List<Config> publishers, List<Config> subscribers) {
    /** Adds up what the roles report. */
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

    /** Compares what was sent with what each subscriber received: that finds the ends that are missing, too. */
    long lost() {
        long sent = sent();
        return subscribers.stream()
                .flatMap(process -> process.getConfigList("each").stream())
                .mapToLong(each -> Math.max(0, sent - each.getLong("received") + each.getLong("duplicated")))
                .sum();
    }

    /** All that were timed; null when none was. */
    Histogram latencies() {
        return Latencies.sum(subscribers.stream()
                .map(each -> Latencies.decode(each.getString("latencies")))
                .toList());
    }

    long sumOf(String finding) {
        return subscribers.stream().mapToLong(each -> each.getLong(finding)).sum();
    }
}
