package io.rocketbufs.rocketnet.tcp;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.uring.IoUring;

/** Kernels and sandboxes without io_uring are many: tests of it are skipped there, and say why. */
final class Uring {
    private Uring() {}

    static void assumeAvailable() {
        assumeTrue(IoUring.isAvailable(), () -> "no io_uring here: " + IoUring.unavailabilityCause());
    }
}
