package io.rocketbufs.rocketnet.shm;

/** A violation of the layout: contents of shared memory that a correct peer never writes. */
final class ShmViolation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ShmViolation(String message) {
        super(message);
    }
}
