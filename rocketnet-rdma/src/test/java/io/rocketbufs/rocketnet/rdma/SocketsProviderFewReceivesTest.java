package io.rocketbufs.rocketnet.rdma;

final class SocketsProviderFewReceivesTest extends FewReceivesSuite {
    SocketsProviderFewReceivesTest() {
        super("sockets", "127.0.0.1", 10);
    }
}
