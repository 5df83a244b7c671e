package io.rocketbufs.rocketnet.rdma;

import org.junit.jupiter.api.Tag;

/** The suite for the sockets provider, which is many times slower than the other providers. */
@Tag("slow")
final class SocketsProviderFewReceivesTest extends FewReceivesSuite {
    SocketsProviderFewReceivesTest() {
        super("sockets", "127.0.0.1", 10);
    }
}
