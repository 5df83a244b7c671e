package io.rocketbufs.rocketlog.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/**
 * Crashes at every change of the disk. After each, the recovered log must be a prefix of what was appended, with every
 * acknowledged record once, in order, and none that was not appended; and recovery of the recovered log must change
 * nothing.
 */
@Timeout(600)
final class CrashStatesTest {
    private static final LogOptions OPTIONS = LogOptions.DEFAULTS
            .withSegments(1000, 512, 400)
            .withIndexInterval(100)
            .withRetention(Duration.ofDays(7), 4000);

    private final List<ByteBuffer> appended = new ArrayList<>();
    private PartitionLog log;
    private Maintenance maintenance;
    private long states;

    @Test
    void shouldRecoverEveryAcknowledgedRecordAfterEachCrash() {
        check(100_000);
    }

    @Test
    @Tag("slow")
    void shouldRecoverFromMillionsOfCrashes() {
        check(5_000_000);
    }

    private void check(long wanted) {
        // Most of these recoveries report what they remove.
        ((Logger) LoggerFactory.getLogger(Recovery.class)).setLevel(Level.ERROR);
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        while (states < wanted) {
            run(new SimulatedDisk(), random);
        }
        System.out.println(states + " crash states");
    }

    private void run(SimulatedDisk disk, Random random) {
        appended.clear();
        log = null;
        maintenance = null;
        disk.shortenWrites(1 + random.nextInt(300));
        disk.beforeChange(() -> crash(disk, random));
        open(disk);
        int rounds = 10 + random.nextInt(30);
        for (int i = 0; i < rounds; i++) {
            step(disk, random);
        }
    }

    private void open(SimulatedDisk disk) {
        PartitionLog opened = PartitionLog.open("orders-0", disk, OPTIONS);
        maintenance = new Maintenance(opened);
        log = opened;
    }

    private void step(SimulatedDisk disk, Random random) {
        switch (random.nextInt(10)) {
            case 0 -> maintenance.flush();
            case 1 -> maintenance.seal();
            case 2 -> maintenance.allocate();
            case 3 -> maintenance.retain(0);
            case 4 -> {
                maintenance.close();
                open(disk);
            }
            case 5 -> {
                disk.free(random.nextInt(60));
                append(random);
                disk.free(1 << 20);
            }
            default -> append(random);
        }
    }

    private void append(Random random) {
        int records = 1 + random.nextInt(3);
        String value = Integer.toString(random.nextInt()).repeat(random.nextInt(6));
        ByteBuffer batch = Batches.of(appended.size(), records, value, 7, 0, (int) log.nextOffset());
        ByteBuffer expected =
                ByteBuffer.allocate(batch.limit()).put(batch.duplicate()).flip();
        // A batch counts as appended from the call on: a crash inside it may or may not keep it.
        RecordBatchLayout.assign(expected, 0, log.nextOffset(), 0);
        appended.add(expected);
        if (log.append(batch) < 0) {
            appended.remove(appended.size() - 1);
        }
    }

    private void crash(SimulatedDisk disk, Random random) {
        if (log == null) {
            return; // while the disk is opened, nothing is acknowledged that an earlier crash did not keep
        }
        for (int i = 0; i < 3; i++) {
            recover(disk.afterCrash(random), maintenance.durableOffset());
        }
        recover(disk.afterKill(), log.nextOffset());
    }

    private void recover(SimulatedDisk disk, long acknowledged) {
        states++;
        PartitionLog recovered = PartitionLog.open("orders-0", disk, OPTIONS);
        List<ByteBuffer> batches = Batches.read(recovered);
        if (recovered.nextOffset() < acknowledged || recovered.startOffset() > log.startOffset()) {
            throw new AssertionError("recovered the offsets " + recovered.startOffset() + " to "
                    + recovered.nextOffset() + " instead of " + log.startOffset() + " to " + acknowledged);
        }
        int first = indexOf(recovered.startOffset());
        if (first + batches.size() > appended.size()
                || !batches.equals(appended.subList(first, first + batches.size()))) {
            assertThat(batches).isEqualTo(appended.subList(first, appended.size()));
        }
        PartitionLog again = PartitionLog.open("orders-0", disk.afterKill(), OPTIONS);
        if (again.nextOffset() != recovered.nextOffset() || again.startOffset() != recovered.startOffset()) {
            throw new AssertionError(
                    "the second recovery ends at " + again.nextOffset() + " instead of " + recovered.nextOffset());
        }
    }

    private int indexOf(long offset) {
        for (int i = 0; i < appended.size(); i++) {
            if (appended.get(i).getLong(0) == offset) {
                return i;
            }
        }
        return appended.size();
    }
}
