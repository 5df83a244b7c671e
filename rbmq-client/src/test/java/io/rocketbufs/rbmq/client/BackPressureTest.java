package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class BackPressureTest {
    private final Queue<Runnable> worker = new ArrayDeque<>();
    private final List<Boolean> notices = new ArrayList<>();
    private final BackPressure backPressure = new BackPressure(worker::add, notices::add);
    private final SpaceSignal space = new SpaceSignal(backPressure);

    @Test
    void shouldReportEachConditionOnce() {
        backPressure.begin();
        backPressure.begin();
        runWorker();
        backPressure.begin();
        runWorker();
        backPressure.end();
        backPressure.end();
        runWorker();
        backPressure.end();
        runWorker();
        assertThat(notices).containsExactly(true, false);
    }

    @Test
    void shouldReportBothWhenTheConditionEndsBeforeTheWorkerRuns() {
        backPressure.begin();
        backPressure.end();
        backPressure.begin();
        backPressure.end();
        assertThat(worker).hasSize(1);
        runWorker();
        assertThat(notices).containsExactly(true, false);
    }

    @Test
    void shouldReportTheEndAfterTheLastBeginning() {
        backPressure.begin();
        backPressure.end();
        backPressure.begin();
        runWorker();
        assertThat(notices).containsExactly(true);
        backPressure.end();
        backPressure.begin();
        runWorker();
        assertThat(notices).containsExactly(true);
        backPressure.end();
        backPressure.begin();
        backPressure.end();
        assertThat(worker).hasSize(1);
        runWorker();
        assertThat(notices).containsExactly(true, false);
    }

    @Test
    void shouldReportTheEndThatIsSignalledDuringTheNoticeOfTheBeginning() {
        BackPressure[] reentrant = new BackPressure[1];
        reentrant[0] = new BackPressure(worker::add, on -> {
            notices.add(on);
            reentrant[0].end();
        });
        reentrant[0].begin();
        runWorker();
        assertThat(notices).containsExactly(true, false);
    }

    @Test
    void shouldIgnoreARefusalThatASignalHasOvertaken() {
        long seen = space.last();
        space.tell();
        assertThat(space.refused(seen)).isFalse();
        assertThat(worker).isEmpty();
        assertThat(space.wantsRefusal()).isTrue();
    }

    @Test
    void shouldWantNoFurtherRefusalUntilThereIsSpace() {
        assertThat(space.refused(space.last())).isTrue();
        assertThat(space.wantsRefusal()).isFalse();
        assertThat(space.isAwaited()).isTrue();
        space.tell();
        assertThat(space.wantsRefusal()).isTrue();
        assertThat(space.isAwaited()).isFalse();
    }

    @Test
    void shouldWantNoRefusalsWithoutAnApplicationToNotify() {
        SpaceSignal silent = new SpaceSignal(null);
        assertThat(silent.wantsRefusal()).isFalse();
        assertThat(silent.refused(silent.last())).isTrue();
        silent.tell();
        assertThat(silent.last()).isEqualTo(1);
    }

    private void runWorker() {
        for (Runnable task = worker.poll(); task != null; task = worker.poll()) {
            task.run();
        }
    }
}
