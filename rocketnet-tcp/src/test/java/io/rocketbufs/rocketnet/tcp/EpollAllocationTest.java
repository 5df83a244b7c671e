package io.rocketbufs.rocketnet.tcp;

final class EpollAllocationTest extends TcpAllocationSuite {
    EpollAllocationTest() {
        super("epoll");
    }
}
