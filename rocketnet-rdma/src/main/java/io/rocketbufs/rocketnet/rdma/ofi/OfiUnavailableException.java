package io.rocketbufs.rocketnet.rdma.ofi;

/** libfabric cannot be used on this machine. The message says why, and what to install. */
public final class OfiUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Makes a failure. */
    public OfiUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
