package io.rocketbufs.rocketnet.tcp;

import org.junit.jupiter.api.BeforeAll;

final class UringTransportTest extends TcpTransportSuite {
    UringTransportTest() {
        super("io_uring");
    }

    @BeforeAll
    static void assumeAvailable() {
        Uring.assumeAvailable();
    }
}
