package io.rocketbufs.rocketlog.broker;

/** The hostile producers, over shared memory. */
final class ShmHostileProducerSystemTest extends HostileProducerSystemTest {
    @Override
    String transport() {
        return "shm";
    }
}
