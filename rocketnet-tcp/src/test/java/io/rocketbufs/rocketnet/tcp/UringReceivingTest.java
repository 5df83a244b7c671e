package io.rocketbufs.rocketnet.tcp;

import org.junit.jupiter.api.BeforeAll;

final class UringReceivingTest extends TcpReceivingSuite {
    UringReceivingTest() {
        super("io_uring");
    }

    @BeforeAll
    static void assumeAvailable() {
        Uring.assumeAvailable();
    }
}
