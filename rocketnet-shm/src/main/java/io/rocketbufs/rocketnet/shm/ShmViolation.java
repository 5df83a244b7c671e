package io.rocketbufs.rocketnet.shm;

/** Contents of shared memory that no correct peer writes. */
final class ShmViolation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ShmViolation(String message) {
        super(message);
    }
}
