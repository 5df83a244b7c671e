package io.rocketbufs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class JoinTest {
    private final TwoProcesses processes = new TwoProcesses();

    @AfterEach
    void close() {
        processes.close();
    }

    @Test
    void shouldSendAllDataToAnExpectedSubscriberOfAnEndedBuffer() throws Exception {
        Collected received = Collected.by(processes.connect());
        processes.out.createBuffer(1, 1000);
        processes.out.expect(1, processes.accepted(), 10_000);
        processes.deliver(1, 100);
        processes.out.removeBuffer(1);
        received.in().subscribe(1, 1000).get(60, TimeUnit.SECONDS);
        await().until(() -> !received.events().isEmpty());
        assertThat(received.length()).isEqualTo(100);
        assertThat(received.events()).containsExactly("end buffer=1");
    }

    @Test
    void shouldFreeAnEndedBufferWhenTheExpectedSubscriberIsLate() throws Exception {
        Collected received = Collected.by(processes.connect());
        processes.out.createBuffer(1, 1000);
        processes.out.expect(1, processes.accepted(), 1);
        processes.deliver(1, 100);
        processes.out.removeBuffer(1);
        await().ignoreExceptions().untilAsserted(() -> processes.out.createBuffer(1, 1000));
        received.in().subscribe(1, 1000).get(60, TimeUnit.SECONDS);
        assertThat(received.events()).isEmpty();
    }

    @Test
    void shouldReportMissedDataToALateSubscriberOfAFreedBuffer() throws Exception {
        Collected received = Collected.by(processes.connect());
        leaveUnreadBuffer(100);
        received.in().subscribe(1, 1000).get(60, TimeUnit.SECONDS);
        await().until(() -> received.events().size() == 2);
        assertThat(received.events()).containsExactly("gap buffer=1 position=0 lost=100", "end buffer=1");
    }

    @Test
    void shouldReportOnlyTheEndToALateSubscriberThatMissedNothing() throws Exception {
        Collected received = Collected.by(processes.connect());
        leaveUnreadBuffer(0);
        received.in().subscribe(1, 1000).get(60, TimeUnit.SECONDS);
        await().until(() -> !received.events().isEmpty());
        assertThat(received.events()).containsExactly("end buffer=1");
    }

    @Test
    void shouldForgetTheBufferOnceMissedDataIsReported() throws Exception {
        Collected received = Collected.by(processes.connect());
        leaveUnreadBuffer(100);
        received.in().subscribe(1, 1000).get(60, TimeUnit.SECONDS);
        await().until(() -> received.events().size() == 2);
        received.in().unsubscribe(1).get(60, TimeUnit.SECONDS);
        assertThatThrownBy(() -> received.in().subscribe(1, 1000).get(60, TimeUnit.SECONDS))
                .hasMessageContaining("buffer 1 does not exist");
    }

    /** Ends a buffer, which is then freed because the expected subscriber has not subscribed in time. */
    private void leaveUnreadBuffer(int length) {
        long inUse = processes.sending.memoryInUse();
        processes.out.createBuffer(1, 1000);
        processes.out.expect(1, processes.accepted(), 1);
        if (length > 0) {
            processes.deliver(1, length);
        }
        processes.out.removeBuffer(1);
        await().until(() -> processes.sending.memoryInUse() == inUse);
    }

    @Test
    void shouldFreeAnEndedBufferWhenTheExpectedConnectionIsLost() throws Exception {
        RIn in = processes.connect();
        processes.out.createBuffer(1, 1000);
        processes.out.expect(1, processes.accepted(), 600_000);
        processes.deliver(1, 100);
        processes.out.removeBuffer(1);
        assertThatThrownBy(() -> processes.out.createBuffer(1, 1000)).isInstanceOf(IllegalStateException.class);
        in.connection().close();
        await().ignoreExceptions().untilAsserted(() -> processes.out.createBuffer(1, 1000));
    }
}
