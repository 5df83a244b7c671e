package io.rocketbufs.rocketnet.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class ShmPeersTest {
    @Test
    void shouldFindAGroupByNameAndByNumber() {
        assertThat(new ShmPeers("root").group()).isZero();
        assertThat(new ShmPeers("42").group()).isEqualTo(42);
        assertThat(new ShmPeers("").hasGroup()).isFalse();
    }

    @Test
    void shouldNameAGroupThatDoesNotExist() {
        assertThatThrownBy(() -> new ShmPeers("no-such-group"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("there is no group \"no-such-group\"");
    }

    @Test
    void shouldUseARuntimeDirectoryOfTheUser() {
        assertThat(ShmDirectory.ofUser("/run/me")).isEqualTo(Path.of("/run/me/rocketbufs"));
        assertThat(ShmDirectory.ofUser(null).toString()).contains(Integer.toString(ShmPeers.currentUser()));
        assertThat(ShmDirectory.ofUser("relative")).isEqualTo(ShmDirectory.ofUser(""));
    }
}
