package io.rocketbufs.memory;

/** A refusal of off-heap memory. The message names the length, the memory in use, and the operating system's reason. */
public final class MemoryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MemoryException(String message) {
        super(message);
    }

    MemoryException(String message, Throwable cause) {
        super(message, cause);
    }
}
