package io.rocketbufs.rocketnet.rdma;

import org.junit.jupiter.api.Tag;

@Tag("once")
final class TcpProviderFewReceivesTest extends FewReceivesSuite {
    TcpProviderFewReceivesTest() {
        super("tcp", "127.0.0.1", 1);
    }
}
