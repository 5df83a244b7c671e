package io.rocketbufs.benchmarks.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.benchmarks.compare.Cell;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class QuickComparisonTest {
    private static final long LONGEST_MS = 15 * 60_000;

    @TempDir
    private Path folder;

    private long estimateMs(LogSystem system) {
        LogContender contender = new LogContender(system, folder, LogComparison.QUICK_WARM_UP);
        return LogExperiment.cells(List.of(LogExperiment.values()), true).stream()
                .filter(cell -> !((LogExperiment) cell.experiment()).flushes())
                .filter(contender::takesPartIn)
                .mapToLong(cell -> estimateMs(contender, cell))
                .sum();
    }

    private static long estimateMs(LogContender contender, Cell cell) {
        int loads = contender.loads(cell).size();
        return contender.estimateMs(cell, LogComparison.TRIAL, loads > 1 ? loads : 0)
                + contender.estimateMs(cell, LogComparison.QUICK_SPAN, LogComparison.QUICK_REPETITIONS);
    }

    @Test
    void shouldTakeLessThanAQuarterOfAnHourWithAllContenders() {
        List<LogSystem> systems = List.of(
                new RawSystem(folder, true),
                new RawSystem(folder, false),
                new KafkaSystem(),
                new JetStreamSystem("nats-server: v2.9.10"),
                new RedisSystem(),
                new ChronicleSystem(),
                new RocketlogSystem("tcp", RocketlogMode.PRIVATE, folder),
                new RocketlogSystem("tcp", RocketlogMode.EXCLUSIVE, folder),
                new RocketlogSystem("shm", RocketlogMode.PRIVATE, folder),
                new RocketlogSystem("rdma", RocketlogMode.PRIVATE, folder));
        assertThat(systems.stream().mapToLong(this::estimateMs).sum())
                .isPositive()
                .isLessThan(LONGEST_MS);
    }
}
