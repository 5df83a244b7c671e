package io.rocketbufs.rbmq.broker;

import java.util.List;

/** An exception thrown when a reload is refused; in that case, nothing has changed. */
public final class ReloadException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> mistakes;

    /**
     * Creates an exception.
     *
     * @param mistakes all errors, one line each with the key, file and line; must not contain secrets
     */
    public ReloadException(List<String> mistakes) {
        super(String.join("\n", mistakes));
        this.mistakes = List.copyOf(mistakes);
    }

    /** Returns all errors, one line each. */
    public List<String> mistakes() {
        return mistakes;
    }
}
