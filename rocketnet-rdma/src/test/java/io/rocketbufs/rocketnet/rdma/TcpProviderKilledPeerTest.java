package io.rocketbufs.rocketnet.rdma;

final class TcpProviderKilledPeerTest extends KilledPeerSuite {
    TcpProviderKilledPeerTest() {
        super("tcp", "127.0.0.1", 20);
    }
}
