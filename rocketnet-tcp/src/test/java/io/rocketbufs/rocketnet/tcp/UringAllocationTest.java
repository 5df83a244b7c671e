package io.rocketbufs.rocketnet.tcp;

import org.junit.jupiter.api.BeforeAll;

final class UringAllocationTest extends TcpAllocationSuite {
    UringAllocationTest() {
        super("io_uring", 16, 64);
    }

    @BeforeAll
    static void assumeAvailable() {
        Uring.assumeAvailable();
    }
}
