package io.rocketbufs.rocketnet.tcp;

import org.junit.jupiter.api.BeforeAll;

final class UringSendingTest extends TcpSendingSuite {
    UringSendingTest() {
        super("io_uring");
    }

    @BeforeAll
    static void assumeAvailable() {
        Uring.assumeAvailable();
    }
}
