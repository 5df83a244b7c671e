package io.rocketbufs.rocketnet.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.IoHandlerFactory;
import io.rocketbufs.rocketnet.TransportException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests of the selection of the I/O implementation, and of its description. */
final class TcpIoSelectionTest {
    private static final String CAUSE = "java.lang.UnsatisfiedLinkError: no such library";

    private static String detail(String io, String missing, String... settings) {
        try (TcpTransport transport = TcpTransport.open(TcpSettings.from(TcpEnds.config(io, settings)), missing)) {
            return transport.detail();
        }
    }

    @Test
    void shouldUseEpollIfAvailable() {
        assertThat(detail("auto", null)).isEqualTo("epoll");
        assertThat(detail("epoll", null)).isEqualTo("epoll");
        assertThat(detail("nio", null)).isEqualTo("nio");
    }

    @Test
    void shouldFallBackToNioAndReportWhy() {
        assertThat(detail("auto", CAUSE)).isEqualTo("nio (no epoll: " + CAUSE + ")");
        assertThat(detail("nio", CAUSE)).isEqualTo("nio");
    }

    @Test
    void shouldRefuseToReplaceEpollSilently() {
        assertThatThrownBy(() -> detail("epoll", CAUSE))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        failure -> assertThat(failure.code()).isEqualTo(TransportException.Code.UNAVAILABLE))
                .hasMessage("rocketbufs.tcp.io = epoll, but epoll is not available: " + CAUSE);
    }

    @Test
    void shouldReportThatWorkersSpin() {
        assertThat(detail("epoll", null, "spin-us = 50")).isEqualTo("epoll, spins 50 us");
    }

    @Test
    void shouldNameTheWorkerThatCannotWaitForEvents() {
        TcpSettings settings = TcpSettings.from(TcpEnds.config("nio"));
        NioIo nio = new NioIo(settings);
        AtomicInteger made = new AtomicInteger();
        TcpIo scarce = new TcpIo() {
            @Override
            public IoHandlerFactory handlerFactory() {
                if (made.getAndIncrement() == 1) {
                    throw new IllegalStateException(new IOException("epoll_create1: Too many open files"));
                }
                return nio.handlerFactory();
            }

            @Override
            public TcpSocket newSocket(InetSocketAddress address) throws IOException {
                return nio.newSocket(address);
            }

            @Override
            public TcpServerSocket listen(InetSocketAddress address, int backlog) throws IOException {
                return nio.listen(address, backlog);
            }
        };
        assertThatThrownBy(() -> new TcpTransport("tcp", settings, scarce, "scarce"))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        failure -> assertThat(failure.code()).isEqualTo(TransportException.Code.UNAVAILABLE))
                .hasMessage("rocketbufs.tcp.num-threads = 2, but worker 1 cannot wait for events: "
                        + "epoll_create1: Too many open files");
    }
}
