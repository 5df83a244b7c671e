package io.rocketbufs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class SubscribePermissionTest {
    private final List<Integer> asked = new CopyOnWriteArrayList<>();
    private final TwoProcesses processes = new TwoProcesses(bufferId -> {
        asked.add(bufferId);
        return bufferId != 2;
    });

    @AfterEach
    void close() {
        processes.close();
    }

    @Test
    void shouldSendOnlyPermittedBuffers() throws Exception {
        Collected received = Collected.by(processes.connect());
        processes.out.createBuffer(1, 1000);
        processes.out.createBuffer(2, 1000);
        received.in().subscribe(1, 1000).get(60, TimeUnit.SECONDS);
        assertRefused(received, 2);
        processes.deliver(2, 200);
        processes.deliver(1, 100);
        await().until(() -> received.length() > 0);
        assertThat(received.length()).isEqualTo(100);
        assertThat(processes.out.subscriptionCount(2)).isZero();
        assertThat(asked).containsExactly(1, 2);
    }

    @Test
    void shouldRefuseABufferThatIsHeldForTheConnection() throws Exception {
        Collected received = Collected.by(processes.connect());
        processes.out.createBuffer(2, 1000);
        processes.out.expect(2, processes.accepted(), 60_000);
        processes.deliver(2, 100);
        assertRefused(received, 2);
        processes.out.removeBuffer(2);
        assertRefused(received, 2);
        assertThat(received.length()).isZero();
    }

    @Test
    void shouldNotAskAboutABufferThatDoesNotExist() throws Exception {
        Collected received = Collected.by(processes.connect());
        assertRefused(received, 1);
        assertThat(asked).isEmpty();
        processes.out.createBuffer(1, 1000);
        received.in().subscribe(1, 1000).get(60, TimeUnit.SECONDS);
        assertThat(asked).containsExactly(1);
    }

    private static void assertRefused(Collected received, int bufferId) {
        assertThatThrownBy(() -> received.in().subscribe(bufferId, 1000).get(60, TimeUnit.SECONDS))
                .hasMessageContaining("buffer " + bufferId + " does not exist");
    }
}
