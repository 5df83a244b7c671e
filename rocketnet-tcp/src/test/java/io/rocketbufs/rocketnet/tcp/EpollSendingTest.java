package io.rocketbufs.rocketnet.tcp;

final class EpollSendingTest extends TcpSendingSuite {
    EpollSendingTest() {
        super("epoll");
    }
}
