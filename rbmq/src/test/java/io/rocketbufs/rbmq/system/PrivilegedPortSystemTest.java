package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.cli.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A test of a broker that an unprivileged user starts on port 80. */
@Tag("once")
@Timeout(600)
final class PrivilegedPortSystemTest {
    private static final Path FIRST_UNPRIVILEGED = Path.of("/proc/sys/net/ipv4/ip_unprivileged_port_start");

    @TempDir
    Path folder;

    @BeforeEach
    void check() throws Exception {
        int first = Integer.parseInt(Files.readAllLines(FIRST_UNPRIVILEGED).get(0));
        assumeTrue(first > 80, () -> "every user may listen on port 80: " + FIRST_UNPRIVILEGED + " is " + first);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @ParameterizedTest
    @CsvSource({"rbmq.port, rbmq.admin.port", "rbmq.admin.port, rbmq.port"})
    void shouldSayWhichPortNeedsAPrivilege(String key, String other) throws Exception {
        String[] command = {"broker", "--set", key + "=80", "--set", other + "=0"};
        try (RbmqProcess broker =
                isRoot() ? RbmqProcess.startUnprivileged(folder, command) : RbmqProcess.start(command)) {
            assertThat(broker.exitCode()).as(broker.errText()).isEqualTo(ExitCode.FAILED);
            assertThat(broker.outText()).isEmpty();
            assertThat(broker.errText().strip())
                    .doesNotContain("\n", "Exception", "error(")
                    .contains("127.0.0.1:80", "permission denied; ports below 1024 need CAP_NET_BIND_SERVICE");
        }
    }

    private static boolean isRoot() throws Exception {
        return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
    }
}
