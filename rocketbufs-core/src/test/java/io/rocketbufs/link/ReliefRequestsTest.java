package io.rocketbufs.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ReliefRequestsTest {
    private final ReliefRequests reliefs = new ReliefRequests();
    private final ScriptedTask task = new ScriptedTask();
    private final ScriptedTask other = new ScriptedTask();

    @Test
    void shouldAskOnceForSeveralRequests() {
        reliefs.add(task);
        reliefs.add(other);
        reliefs.add(task);
        reliefs.serve();
        assertThat(task.relieved).isEqualTo(1);
        assertThat(other.relieved).isEqualTo(1);
        assertThat(reliefs.isEmpty()).isTrue();
    }

    @Test
    void shouldNotLoseARequestThatArrivesWhileTheTaskReleasesMemory() {
        task.onRelieve = () -> {
            if (task.relieved == 1) {
                reliefs.add(task);
            }
            return true;
        };
        reliefs.add(task);
        reliefs.serve();
        assertThat(reliefs.isEmpty()).isFalse();
        reliefs.serve();
        assertThat(task.relieved).isEqualTo(2);
        assertThat(reliefs.isEmpty()).isTrue();
    }

    @Test
    void shouldAskATaskAgainIfItCouldNotReleaseMemory() {
        task.onRelieve = () -> task.relieved == 2;
        reliefs.add(other);
        reliefs.add(task);
        reliefs.serve();
        assertThat(reliefs.isEmpty()).isFalse();
        reliefs.serve();
        assertThat(task.relieved).isEqualTo(2);
        assertThat(other.relieved).isEqualTo(1);
        assertThat(reliefs.isEmpty()).isTrue();
    }

    @Test
    void shouldKeepATaskOnceWhenARequestArrivesWhileItIsAsked() {
        task.onRelieve = () -> {
            if (task.relieved == 1) {
                reliefs.add(task);
                return false;
            }
            return true;
        };
        reliefs.add(task);
        reliefs.serve();
        reliefs.serve();
        assertThat(task.relieved).isEqualTo(2);
        assertThat(reliefs.isEmpty()).isTrue();
    }

    @Test
    void shouldKeepAllTasksThatMustBeAskedAgain() {
        task.onRelieve = () -> task.relieved == 3;
        other.onRelieve = () -> other.relieved == 3;
        reliefs.add(task);
        reliefs.add(other);
        reliefs.serve();
        reliefs.add(task);
        reliefs.serve();
        reliefs.serve();
        assertThat(task.relieved).isEqualTo(3);
        assertThat(other.relieved).isEqualTo(3);
        assertThat(reliefs.isEmpty()).isTrue();
    }
}
