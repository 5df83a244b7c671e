package io.rocketbufs.rocketnet.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ShmPeersTest {
    @Test
    void shouldFindAGroupByNameAndByNumber() {
        assertThat(new ShmPeers("root").group()).isZero();
        assertThat(new ShmPeers("42").group()).isEqualTo(42);
        assertThat(new ShmPeers("3000000000").group()).isEqualTo((int) 3_000_000_000L);
        assertThat(new ShmPeers("").hasGroup()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-such-group", "4294967295", "99999999999"})
    void shouldNameAGroupThatDoesNotExist(String name) {
        assertThatThrownBy(() -> new ShmPeers(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("there is no group \"" + name + "\"");
    }

    @Test
    void shouldUseARuntimeDirectoryOfTheUser() {
        assertThat(ShmDirectory.ofUser("/run/me")).isEqualTo(Path.of("/run/me/rocketbufs"));
        assertThat(ShmDirectory.ofUser(null).toString()).contains(Integer.toString(ShmPeers.currentUser()));
        assertThat(ShmDirectory.ofUser("relative")).isEqualTo(ShmDirectory.ofUser(""));
    }

    @Test
    void shouldNotUseARuntimeDirectoryThatIsTooLongForASocket() {
        String longest = "/" + "r".repeat(ShmDirectory.MAX_LENGTH - "//rocketbufs".length());
        assertThat(ShmDirectory.ofUser(longest)).isEqualTo(Path.of(longest, "rocketbufs"));
        assertThat(ShmDirectory.ofUser(longest + "r")).isEqualTo(ShmDirectory.ofUser(""));
    }

    @Test
    void shouldAdmitTheGroupToADirectoryThatWasCreatedWithoutOne(@TempDir Path parent) throws IOException {
        Path path = parent.resolve("sockets");
        new ShmDirectory(path, new ShmPeers("")).prepare();
        assertThat(permissions(path)).isEqualTo("rwx------");
        ShmPeers peers = new ShmPeers(Files.getAttribute(path, "unix:gid").toString());
        new ShmDirectory(path, peers).prepare();
        assertThat(permissions(path)).isEqualTo("rwxr-x---");
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
