package io.rocketbufs.rocketnet.tcp;

final class EpollReceivingTest extends TcpReceivingSuite {
    EpollReceivingTest() {
        super("epoll");
    }
}
