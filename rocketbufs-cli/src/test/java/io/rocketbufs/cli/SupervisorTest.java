package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.ReceivingSocket;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class SupervisorTest {
    private static final String RELOADING = "RELOADING=1\nMONOTONIC_USEC=[0-9]+";

    private final String address = "@rocketbufs/" + UUID.randomUUID();
    private final ReceivingSocket socket = new ReceivingSocket(address);
    private final Supervisor manager = new Supervisor(address);

    @AfterEach
    void close() {
        socket.close();
    }

    @Test
    void shouldTellEachStateOfAProgram() {
        manager.ready("ready rbmq=1");
        assertThat(socket.poll()).isEqualTo("READY=1\nSTATUS=ready rbmq=1");
        long beforeUs = System.nanoTime() / 1000;
        manager.reload(() -> {
            String told = socket.poll();
            assertThat(told).matches(RELOADING);
            assertThat(Long.parseLong(told.split("=")[2])).isBetween(beforeUs, System.nanoTime() / 1000);
        });
        assertThat(socket.poll()).isEqualTo("READY=1");
        manager.stopping();
        assertThat(socket.poll()).isEqualTo("STOPPING=1");
        assertThat(socket.poll()).isNull();
    }

    @Test
    void shouldBeReadyAgainAfterTheLastOfSeveralReloads() {
        manager.ready("");
        socket.poll();
        manager.reload(() -> {
            assertThat(socket.poll()).matches(RELOADING);
            manager.reload(() -> assertThat(socket.poll()).isNull());
            assertThat(socket.poll()).isNull();
        });
        assertThat(socket.poll()).isEqualTo("READY=1");
    }

    @Test
    void shouldNotBeReadyWhenAReloadEndsBeforeTheStartOrAfterTheStop() {
        manager.reload(() -> {});
        assertThat(socket.poll()).isNull();
        manager.ready("");
        socket.poll();
        manager.reload(() -> {
            socket.poll();
            manager.stopping();
            assertThat(socket.poll()).isEqualTo("STOPPING=1");
        });
        assertThat(socket.poll()).isNull();
    }

    @Test
    void shouldBeReadyAgainWhenAReloadFails() {
        manager.ready("");
        socket.poll();
        try {
            manager.reload(() -> {
                throw new IllegalStateException("test");
            });
        } catch (IllegalStateException e) {
            assertThat(e).hasMessage("test");
        }
        assertThat(socket.poll()).matches(RELOADING);
        assertThat(socket.poll()).isEqualTo("READY=1");
    }

    @Test
    void shouldGoOnWithoutAServiceManagerAndWithOneThatHasGone() {
        new Supervisor(null).ready("");
        new Supervisor("").ready("");
        socket.close();
        manager.ready("");
        boolean[] ran = {false};
        manager.reload(() -> ran[0] = true);
        assertThat(ran[0]).isTrue();
    }
}
