package io.rocketbufs.rocketnet.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the peer's address that a socket returns. */
final class TcpSocketAddressTest {
    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void shouldBeKnownAlthoughThePeerHasResetTheConnection(String way) throws Exception {
        TcpSettings settings = TcpSettings.from(TcpEnds.config(way));
        TcpIo io = way.equals("epoll") ? new EpollIo(settings) : new NioIo(settings);
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress address = (InetSocketAddress) server.getLocalSocketAddress();
            TcpSocket socket = io.newSocket(address);
            try {
                boolean isConnected = socket.connect(address);
                reset(server.accept());
                assertThat(isConnected || finishes(socket)).isTrue();
                assertThat(socket.remoteAddress()).isEqualTo(address);
            } finally {
                socket.close();
            }
        }
    }

    private static void reset(Socket accepted) throws IOException {
        accepted.setSoLinger(true, 0);
        accepted.close();
    }

    /** Returns true once the connection attempt has ended, successfully or with an error. */
    private static boolean finishes(TcpSocket socket) throws IOException {
        try {
            while (!socket.finishConnect()) {
                Thread.onSpinWait();
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("reset");
        }
        return true;
    }
}
