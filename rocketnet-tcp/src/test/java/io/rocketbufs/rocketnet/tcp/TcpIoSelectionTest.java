package io.rocketbufs.rocketnet.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.rocketnet.TransportException;
import org.junit.jupiter.api.Test;

/** Which way of I/O is taken, and what is told of it. */
final class TcpIoSelectionTest {
    private static final String CAUSE = "java.lang.UnsatisfiedLinkError: no such library";

    private static String detail(String io, String noEpoll) {
        try (TcpTransport transport = TcpTransport.open(TcpSettings.from(TcpEnds.config(io)), noEpoll)) {
            return transport.detail();
        }
    }

    @Test
    void shouldTakeEpollWhereItIsAvailable() {
        assertThat(detail("auto", null)).isEqualTo("epoll");
        assertThat(detail("epoll", null)).isEqualTo("epoll");
        assertThat(detail("nio", null)).isEqualTo("nio");
    }

    @Test
    void shouldTakeNioElsewhereAndSayWhy() {
        assertThat(detail("auto", CAUSE)).isEqualTo("nio (no epoll: " + CAUSE + ")");
        assertThat(detail("nio", CAUSE)).isEqualTo("nio");
    }

    @Test
    void shouldRefuseToReplaceEpollSilently() {
        assertThatThrownBy(() -> detail("epoll", CAUSE))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        failure -> assertThat(failure.code()).isEqualTo(TransportException.Code.UNAVAILABLE))
                .hasMessage("rocketbufs.tcp.io = epoll, but there is no epoll here: " + CAUSE);
    }
}
