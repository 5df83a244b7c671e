package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of clients that run on the broker's machine as a different user. */
@Tag("once")
@Timeout(600)
final class AutomaticUserSystemTest {
    private static final Path LAUNCHER = Path.of("/usr/bin/setpriv");
    private static final String NOBODY = "65534";
    /** The group of this process. */
    private static final String ROOT = "0";

    private static final String GROUP = "rocketbufs.shm.group = \"" + ROOT + "\"";
    private static final Set<PosixFilePermission> PUBLIC = PosixFilePermissions.fromString("rwxr-xr-x");

    @TempDir
    private Path programs;

    @TempDir
    private Path sockets;

    @BeforeEach
    void requireAnotherUser() throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root can start programs as another user");
        assumeTrue(Files.isExecutable(LAUNCHER), LAUNCHER + " is not installed");
        Files.setPosixFilePermissions(programs, PUBLIC);
    }

    /** Copies the class path to a folder that every user can read. */
    private String readableClassPath() throws IOException {
        List<String> copies = new ArrayList<>();
        for (String entry : AutomaticClient.classPath().split(File.pathSeparator)) {
            Path from = Path.of(entry);
            if (Files.exists(from)) {
                Path to = programs.resolve(copies.size() + "-" + from.getFileName());
                copy(from, to);
                copies.add(to.toString());
            }
        }
        return String.join(File.pathSeparator, copies);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path copied = to.resolve(from.relativize(file).toString());
                Files.copy(file, copied);
                Files.setPosixFilePermissions(copied, PUBLIC);
            }
        }
    }

    /**
     * Returns the output of a client that runs as another user; {@code groups} is the option for its supplementary
     * groups.
     */
    private String client(RunningBroker running, String groups, String configuredGroup) throws Exception {
        return AutomaticClient.run(
                List.of(LAUNCHER.toString(), "--reuid=" + NOBODY, "--regid=" + NOBODY, groups),
                programs,
                readableClassPath(),
                Integer.toString(running.address().getPort()),
                sockets.toString(),
                configuredGroup);
    }

    private String stranger(RunningBroker running) throws Exception {
        return client(running, "--clear-groups", "");
    }

    private RunningBroker start(String... more) {
        List<String> settings = new ArrayList<>(
                List.of("rocketbufs.transport = auto", "rocketbufs.shm.directory = \"" + sockets + "\""));
        settings.addAll(List.of(more));
        return new RunningBroker(settings.toArray(String[]::new));
    }

    @Test
    void shouldStayOnTcpIfTheDirectoryBelongsToAnotherUser() throws Exception {
        try (RunningBroker running = start()) {
            assertThat(stranger(running))
                    .contains("transport: tcp (not shm: permission denied for " + sockets)
                    .contains("; use the listener's user, or set rocketbufs.shm.group");
        }
    }

    @Test
    void shouldStayOnTcpIfTheSocketBelongsToAnotherUser() throws Exception {
        Files.setPosixFilePermissions(sockets, PUBLIC);
        try (RunningBroker running = start()) {
            assertThat(stranger(running))
                    .contains("transport: tcp (not shm: connect to localhost:")
                    .contains("permission denied for " + sockets);
        }
    }

    @Test
    void shouldUseSharedMemoryAsAMemberOfTheConfiguredGroup() throws Exception {
        try (RunningBroker running = start(GROUP)) {
            assertThat(client(running, "--groups=" + ROOT, ROOT)).contains("transport: shm");
        }
    }

    /** The listener relies on the groups that the kernel reports, even if every user can reach its socket. */
    @Test
    void shouldStayOnTcpOutsideTheConfiguredGroupEvenIfTheSocketCanBeReached() throws Exception {
        try (RunningBroker running = start(GROUP)) {
            Files.setPosixFilePermissions(sockets, PUBLIC);
            try (Stream<Path> files = Files.list(sockets)) {
                for (Path file : files.toList()) {
                    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxrwxrwx"));
                }
            }
            assertThat(client(running, "--clear-groups", ROOT))
                    .contains("transport: tcp (not shm: ", "user 65534 may not connect to user 0")
                    .contains("is not in the group rocketbufs.shm.group = 0");
        }
    }
}
