package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.Streams;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class ConductorTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Notes role = new Notes();

    @Test
    void shouldObeyOrdersUntilToldToStop() throws InterruptedException {
        assertThat(conductor("begin\nprogress\nend\nstop 42\nbegin\n").leadByOrders(role))
                .isEqualTo("42");
        assertThat(role.marks).containsExactly("begin", "end");
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("progress 7\n");
    }

    @Test
    void shouldStopWhenItsCoordinatorHasGone() throws InterruptedException {
        assertThat(conductor("begin\n").leadByOrders(role)).isEmpty();
    }

    @Test
    void shouldMeasureForTheGivenTime() throws InterruptedException {
        conductor("").leadByClock(role, Duration.ofMillis(20), Duration.ofMillis(30));
        assertThat(role.marks).containsExactly("begin", "end");
        assertThat(role.endNs - role.beginNs).isGreaterThanOrEqualTo(30_000_000);
    }

    @Test
    void shouldNotMeasureWhenItIsStoppedBeforeMessagesFlow() throws InterruptedException {
        Conductor conductor = conductor("");
        role.started = false;
        conductor.stop();
        conductor.leadByClock(role, Duration.ZERO, null);
        assertThat(role.marks).isEmpty();
    }

    private Conductor conductor(String orders) {
        return new Conductor(new Streams(
                "rbmq",
                new ByteArrayInputStream(orders.getBytes(StandardCharsets.UTF_8)),
                new PrintStream(out),
                System.err));
    }

    private static final class Notes implements Role {
        private final List<String> marks = new ArrayList<>();
        private boolean started = true;
        private long beginNs;
        private long endNs;

        @Override
        public boolean hasStarted() {
            return started;
        }

        @Override
        public void begin() {
            marks.add("begin");
            beginNs = System.nanoTime();
        }

        @Override
        public void end() {
            marks.add("end");
            endNs = System.nanoTime();
        }

        @Override
        public long count() {
            return 7;
        }
    }
}
