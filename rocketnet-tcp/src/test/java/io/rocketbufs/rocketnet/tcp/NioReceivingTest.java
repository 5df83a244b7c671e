package io.rocketbufs.rocketnet.tcp;

final class NioReceivingTest extends TcpReceivingSuite {
    NioReceivingTest() {
        super("nio");
    }
}
