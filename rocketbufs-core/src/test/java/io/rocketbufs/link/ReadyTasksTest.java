package io.rocketbufs.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ReadyTasksTest {
    private final ReadyTasks ready = new ReadyTasks();
    private final SendTask a = new ScriptedTask();
    private final SendTask b = new ScriptedTask();
    private final SendTask c = new ScriptedTask();

    private List<SendTask> takeAll() {
        List<SendTask> all = new ArrayList<>();
        for (; ready.first() != null; ready.removeFirst()) {
            all.add(ready.first());
        }
        return all;
    }

    @Test
    void shouldAppendAddedTasksInTheOrderOfAdding() {
        ready.add(c);
        ready.collect();
        ready.add(b);
        ready.add(a);
        ready.collect();
        assertThat(takeAll()).containsExactly(c, b, a);
    }

    @Test
    void shouldNotReturnTasksThatAreNotCollected() {
        ready.add(a);
        assertThat(ready.first()).isNull();
        assertThat(ready.hasAdded()).isTrue();
        ready.collect();
        assertThat(ready.first()).isSameAs(a);
        assertThat(ready.hasAdded()).isFalse();
    }

    @Test
    void shouldAcceptTheOnlyTaskAgain() {
        ready.add(a);
        ready.collect();
        ready.removeFirst();
        ready.append(a);
        ready.add(b);
        ready.collect();
        assertThat(takeAll()).containsExactly(a, b);
    }

    @Test
    void shouldForgetTheNeighboursOfATaskThatIsAddedAgain() {
        ready.add(a);
        ready.add(b);
        ready.add(c);
        ready.collect();
        ready.removeFirst();
        ready.append(a);
        assertThat(takeAll()).containsExactly(b, c, a);
        ready.add(b);
        ready.collect();
        assertThat(takeAll()).containsExactly(b);
    }

    @Test
    void shouldStayEmptyWhenThereIsNothingToCollect() {
        ready.collect();
        assertThat(ready.first()).isNull();
    }
}
