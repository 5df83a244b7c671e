package io.rocketbufs.rocketnet.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Errors;
import io.rocketbufs.rocketnet.TransportException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests that the same kind of failure has the same code with every I/O implementation. */
final class TcpFailuresTest {
    private static final InetSocketAddress PEER = new InetSocketAddress("127.0.0.1", 7610);

    /** Loads Netty's native library, which provides Netty's error messages. */
    @BeforeAll
    static void loadLibrary() {
        Epoll.ensureAvailability();
    }

    private static TransportException.Code broken(Exception cause) {
        return TcpFailures.broken("read from", PEER, cause).code();
    }

    private static String connect(Exception cause) {
        TransportException failure = TcpFailures.connect(PEER, cause);
        assertThat(failure).hasCause(cause);
        return failure.code() + " " + failure.getMessage();
    }

    @Test
    void shouldReportALostPeer() {
        assertThat(broken(Errors.newIOException("recvAddress", Errors.ERRNO_ECONNRESET_NEGATIVE)))
                .isEqualTo(TransportException.Code.PEER_LOST);
        assertThat(broken(Errors.newIOException("writev", Errors.ERRNO_EPIPE_NEGATIVE)))
                .isEqualTo(TransportException.Code.PEER_LOST);
        assertThat(broken(Errors.newIOException("recvAddress", -110))).isEqualTo(TransportException.Code.PEER_LOST);
        assertThat(broken(new SocketException("Connection reset"))).isEqualTo(TransportException.Code.PEER_LOST);
        assertThat(broken(new IOException("Broken pipe"))).isEqualTo(TransportException.Code.PEER_LOST);
        assertThat(broken(new IOException("Connection timed out"))).isEqualTo(TransportException.Code.PEER_LOST);
    }

    @Test
    void shouldIncludeOperationPeerAndSystemMessage() {
        assertThat(TcpFailures.broken("write to", PEER, new IOException("Broken pipe")))
                .hasMessage("write to 127.0.0.1:7610: Broken pipe");
        assertThat(TcpFailures.broken("write to", new InetSocketAddress("::1", 7610), new IOException("Broken pipe")))
                .hasMessage("write to [::1]:7610: Broken pipe");
        assertThat(broken(new IOException("an unexpected failure"))).isEqualTo(TransportException.Code.IO);
    }

    @Test
    void shouldExplainWhyListeningFailed() {
        assertThat(TcpFailures.listen(PEER, new BindException("Address already in use")))
                .hasMessage("cannot listen on 127.0.0.1:7610: the port is in use");
        assertThat(TcpFailures.listen(PEER, Errors.newIOException("bind", -98)))
                .hasMessage("cannot listen on 127.0.0.1:7610: the port is in use");
        for (IOException denied : List.of(
                Errors.newIOException("bind", -13),
                new IOException("bind(..) failed with error(-13): Permission denied"),
                new SocketException("Permission denied"))) {
            assertThat(TcpFailures.listen(TcpEnds.loopback(80), denied))
                    .hasMessage("cannot listen on 127.0.0.1:80: permission denied;"
                            + " ports below 1024 need CAP_NET_BIND_SERVICE");
            assertThat(TcpFailures.listen(PEER, denied))
                    .hasMessage("cannot listen on 127.0.0.1:7610: permission denied");
        }
    }

    @Test
    void shouldExplainWhyConnectingFailed() {
        assertThat(connect(new ConnectException("finishConnect(..) failed with error(-111): Connection refused")))
                .isEqualTo("NO_LISTENER connect to 127.0.0.1:7610: connection refused, no listener on this address");
        assertThat(connect(new ConnectException("Connection refused")))
                .isEqualTo("NO_LISTENER connect to 127.0.0.1:7610: connection refused, no listener on this address");
        assertThat(connect(new ConnectException("Connection timed out")))
                .isEqualTo("TIMEOUT connect to 127.0.0.1:7610: no answer before the system's own timeout");
        assertThat(connect(new NoRouteToHostException()))
                .isEqualTo("UNREACHABLE connect to 127.0.0.1:7610: the address is unreachable (no route to host)");
        assertThat(connect(new SocketException("Network is unreachable"))).startsWith("UNREACHABLE");
        assertThat(connect(Errors.newIOException("newSocketStream", -24))).startsWith("RESOURCES");
        assertThat(connect(new ConnectException("connect(..) failed with error(-99): no address")))
                .startsWith("RESOURCES connect to 127.0.0.1:7610: no local port is available");
    }
}
