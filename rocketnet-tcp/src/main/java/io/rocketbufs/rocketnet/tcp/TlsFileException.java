package io.rocketbufs.rocketnet.tcp;

/** The exception for an unusable certificate or key file. The message names the file, but never shows a key. */
final class TlsFileException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String key;

    /**
     * Creates an exception.
     *
     * @param key configuration key of the file, below {@code rocketbufs.tls}
     */
    TlsFileException(String key, IllegalArgumentException cause) {
        super(cause.getMessage(), cause);
        this.key = key;
    }

    /** Returns the configuration key of the file, below {@code rocketbufs.tls}. */
    String key() {
        return key;
    }
}
