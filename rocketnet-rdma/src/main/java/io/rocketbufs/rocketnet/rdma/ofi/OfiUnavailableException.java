package io.rocketbufs.rocketnet.rdma.ofi;

/** Thrown when libfabric cannot be used on this machine. The message contains the reason and the remedy. */
public final class OfiUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception. */
    public OfiUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
