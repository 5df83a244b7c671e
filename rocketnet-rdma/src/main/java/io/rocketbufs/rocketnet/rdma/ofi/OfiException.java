package io.rocketbufs.rocketnet.rdma.ofi;

/**
 * The exception for a failed libfabric call. The message contains the name of the call, its subject and libfabric's
 * text.
 */
public final class OfiException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The positive error number. */
    private final int errno;
    /** libfabric's text, without the name of the call. */
    private final String reason;

    /**
     * Creates an exception.
     *
     * @param errno positive, as in errno.h and fi_errno.h
     */
    public OfiException(String call, int errno, String text) {
        super(call + ": " + text + " (" + errno + ")");
        this.errno = errno;
        this.reason = text;
    }

    private OfiException(String what, OfiException cause) {
        super(what + ": " + cause.getMessage(), cause);
        this.errno = cause.errno;
        this.reason = cause.reason;
    }

    /** Returns an exception that describes this failure as part of a larger operation. */
    public OfiException during(String what) {
        return new OfiException(what, this);
    }

    /** Returns libfabric's text without the name of the call, such as "Address already in use". */
    public String reason() {
        return reason;
    }

    /** Returns the positive error number. */
    public int errno() {
        return errno;
    }
}
