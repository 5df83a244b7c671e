package io.rocketbufs.rocketnet.rdma;

final class TcpProviderFewReceivesTest extends FewReceivesSuite {
    TcpProviderFewReceivesTest() {
        super("tcp", "127.0.0.1", 1);
    }
}
