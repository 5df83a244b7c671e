package io.rocketbufs.rocketnet.tcp;

final class NioTransportTest extends TcpTransportSuite {
    NioTransportTest() {
        super("nio");
    }
}
