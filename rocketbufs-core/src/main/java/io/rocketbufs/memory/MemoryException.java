package io.rocketbufs.memory;

/** Off-heap memory was refused; the message names the length, what is in use, and the operating system's reason. */
public final class MemoryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MemoryException(String message) {
        super(message);
    }

    MemoryException(String message, Throwable cause) {
        super(message, cause);
    }
}
