package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of clients whose file systems differ from the broker's, as in another container on the same machine. */
@Tag("once")
@Timeout(600)
final class AutomaticContainerSystemTest {
    private static final String FULL_MEMORY =
            "mount -t tmpfs -o size=4k tmpfs /dev/shm && head -c 4k /dev/zero >/dev/shm/full && ";

    @TempDir
    private Path mounted;

    private Path sockets;

    @BeforeEach
    void requireNamespaces() throws Exception {
        assumeTrue(canMount(), "this user may not mount file systems in a namespace");
        assumeTrue(Files.isDirectory(Path.of("/dev/shm")), "there is no folder /dev/shm");
        sockets = Files.createDirectory(mounted.resolve("sockets"));
    }

    private static boolean canMount() throws InterruptedException {
        try {
            return new ProcessBuilder("unshare", "-m", "true").start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the output of a client in a namespace that is prepared with the given commands. */
    private String client(RunningBroker running, String mounts) throws Exception {
        return AutomaticClient.run(
                List.of("unshare", "-m", "sh", "-c", mounts + "exec \"$@\"", mounted.toString()),
                Path.of("").toAbsolutePath(),
                AutomaticClient.classPath(),
                Integer.toString(running.address().getPort()),
                sockets.toString(),
                "");
    }

    private RunningBroker start() {
        return new RunningBroker("rocketbufs.transport = auto", "rocketbufs.shm.directory = \"" + sockets + "\"");
    }

    @Test
    void shouldStayOnTcpInAContainerWithItsOwnDirectories() throws Exception {
        try (RunningBroker running = start()) {
            assertThat(client(running, FULL_MEMORY + "mount -t tmpfs tmpfs \"$0\" && "))
                    .contains("transport: tcp (not shm: there is no socket " + sockets)
                    .contains("mount the same directory into the containers of both sides");
        }
    }

    @Test
    void shouldUseSharedMemoryInAContainerWithACommonDirectoryAndAFullDevShm() throws Exception {
        try (RunningBroker running = start()) {
            assertThat(client(running, FULL_MEMORY)).contains("transport: shm");
        }
    }
}
