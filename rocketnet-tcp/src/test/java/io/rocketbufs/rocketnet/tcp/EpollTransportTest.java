package io.rocketbufs.rocketnet.tcp;

final class EpollTransportTest extends TcpTransportSuite {
    EpollTransportTest() {
        super("epoll");
    }
}
