package io.rocketbufs.memory;

/**
 * A failure to obtain off-heap memory. The message states the length, the memory in use, and the operating system's
 * reason.
 */
public final class MemoryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MemoryException(String message) {
        super(message);
    }

    MemoryException(String message, Throwable cause) {
        super(message, cause);
    }
}
