package io.rocketbufs.rocketnet.tcp;

final class NioSendingTest extends TcpSendingSuite {
    NioSendingTest() {
        super("nio");
    }
}
