package io.rocketbufs.rocketlog.broker;

/** The hostile producers, over RDMA. */
final class RdmaHostileProducerSystemTest extends HostileProducerSystemTest {
    @Override
    String transport() {
        return "rdma";
    }
}
