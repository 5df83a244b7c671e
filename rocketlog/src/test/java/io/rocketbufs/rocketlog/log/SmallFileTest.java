package io.rocketbufs.rocketlog.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests of small files for which only the final force fails. */
final class SmallFileTest {
    private static final String NAME = "orders";

    private final SimulatedDisk disk = new SimulatedDisk();
    private boolean hasFailed;

    private void write() throws Exception {
        SmallFile.write(disk, NAME, ByteBuffer.wrap("content".getBytes(StandardCharsets.US_ASCII)));
    }

    /** Makes the given number of forces fail, starting when the file has its final name. */
    private void failForces(int count) {
        disk.beforeChange(() -> {
            if (!hasFailed && disk.names().contains(NAME)) {
                hasFailed = true;
                disk.failForces(count);
            }
        });
    }

    @Test
    void shouldNotExistEvenAfterACrashWhenItsNameCannotBeForced() throws Exception {
        failForces(1);
        assertThatExceptionOfType(LogException.class)
                .isThrownBy(this::write)
                .withMessageContaining("cannot write simulated/" + NAME)
                .withMessageNotContaining("may still exist");
        assertThat(disk.names()).isEmpty();
        for (int i = 0; i < 100; i++) {
            assertThat(disk.afterCrash(new Random(i)).names()).isEmpty();
        }
        write();
        assertThat(disk.afterCrash(new Random(0)).names()).containsExactly(NAME);
    }

    @Test
    void shouldSayThatItMayExistWhenItsRemovalCannotBeForced() {
        failForces(2);
        assertThatExceptionOfType(LogException.class)
                .isThrownBy(this::write)
                .withMessageContaining("after a crash or a restart, the file may still exist");
        assertThat(disk.names()).isEmpty();
    }
}
