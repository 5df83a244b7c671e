package io.rocketbufs.rocketnet.rdma;

import org.junit.jupiter.api.Tag;

/** The provider is many times slower than the others. */
@Tag("slow")
final class SocketsProviderFewReceivesTest extends FewReceivesSuite {
    SocketsProviderFewReceivesTest() {
        super("sockets", "127.0.0.1", 10);
    }
}
