package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.memory.ReceivingSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that a service manager such as systemd is notified when a broker is ready, reloads its configuration, or stops.
 */
@Tag("once")
final class SupervisorSystemTest {
    @TempDir
    Path folder;

    @Test
    void shouldTellTheServiceManagerItsStatesUntilItStops() throws Exception {
        String address = folder.resolve("notify").toString();
        try (ReceivingSocket manager = new ReceivingSocket(address);
                RbmqProcess broker = RbmqProcess.startIn(
                        Map.of("NOTIFY_SOCKET", address), "broker", "--set=rbmq.port=0", "--set=rbmq.admin.port=0")) {
            String ready = next(manager);
            assertThat(ready).matches("READY=1\nSTATUS=ready rbmq=[0-9]+ admin=[0-9]+");
            broker.awaitOut("\n");
            assertThat(broker.outText()).isEqualTo(ready.split("STATUS=")[1] + "\n");
            broker.signal("HUP");
            assertThat(next(manager)).matches("RELOADING=1\nMONOTONIC_USEC=[0-9]+");
            assertThat(next(manager)).isEqualTo("READY=1");
            broker.awaitErr("The configuration was reloaded");
            broker.signal("TERM");
            assertThat(next(manager)).isEqualTo("STOPPING=1");
            assertThat(broker.exitCode()).isEqualTo(143);
            assertThat(manager.poll()).isNull();
        }
    }

    private static String next(ReceivingSocket manager) {
        return await().atMost(Duration.ofSeconds(60)).until(manager::poll, Objects::nonNull);
    }
}
