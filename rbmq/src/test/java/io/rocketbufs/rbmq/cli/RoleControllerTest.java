package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.rbmq.bench.BenchRole;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class RoleControllerTest {
    private final RecordedStreams recorded = new RecordedStreams("rbmq");
    private final Notes role = new Notes();

    @Test
    void shouldExecuteCommandsUntilStop() throws InterruptedException {
        assertThat(controller("begin\nprogress\nend\nstop 42\nbegin\n").runByOrders(role))
                .isEqualTo("42");
        assertThat(role.marks).containsExactly("begin", "end");
        assertThat(recorded.out()).isEqualTo("progress 7\n");
    }

    @Test
    void shouldStopWhenItsCoordinatorHasEnded() throws InterruptedException {
        assertThat(controller("begin\n").runByOrders(role)).isEmpty();
    }

    @Test
    void shouldMeasureForTheGivenTime() throws InterruptedException {
        controller("").runByClock(role, Duration.ofMillis(20), Duration.ofMillis(30));
        assertThat(role.marks).containsExactly("begin", "end");
        assertThat(role.endNs - role.beginNs).isGreaterThanOrEqualTo(30_000_000);
    }

    @Test
    void shouldNotMeasureWhenItIsStoppedBeforeMessagesFlow() throws InterruptedException {
        RoleController controller = controller("");
        role.started = false;
        controller.stop();
        controller.runByClock(role, Duration.ZERO, null);
        assertThat(role.marks).isEmpty();
    }

    private RoleController controller(String orders) {
        return new RoleController(recorded.withInput(orders));
    }

    private static final class Notes implements BenchRole {
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
