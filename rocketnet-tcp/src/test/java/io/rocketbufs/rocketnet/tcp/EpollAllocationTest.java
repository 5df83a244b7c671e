package io.rocketbufs.rocketnet.tcp;

final class EpollAllocationTest extends TcpAllocationSuite {
    EpollAllocationTest() {
        super("epoll", 0.5, 0.5);
    }
}
