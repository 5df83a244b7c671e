package io.rocketbufs.rocketnet.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.epoll.EpollIoOps;
import org.junit.jupiter.api.Test;

final class EpollEventTableTest {
    /**
     * Fails if a new version of Netty stores its events differently. The only consequence would be an allocation for
     * each event of this kind.
     */
    @Test
    void shouldNotAllocateAnEventForBothDirections() {
        int both = EpollIoOps.EPOLLIN.value() | EpollIoOps.EPOLLOUT.value();
        assertThat(EpollEventTable.complete()).isTrue();
        assertThat(EpollIoOps.valueOf(both)).isSameAs(EpollIoOps.valueOf(both));
        assertThat(EpollIoOps.valueOf(both).value()).isEqualTo(both);
    }
}
