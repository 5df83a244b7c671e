package io.rocketbufs.rocketnet.tcp;

final class NioAllocationTest extends TcpAllocationSuite {
    NioAllocationTest() {
        super("nio", 16, 500);
    }
}
