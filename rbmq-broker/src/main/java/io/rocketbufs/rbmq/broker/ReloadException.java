package io.rocketbufs.rbmq.broker;

import java.util.List;

/** The refusal of a reload, which has changed nothing. */
public final class ReloadException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> mistakes;

    /**
     * Creates an exception.
     *
     * @param mistakes all mistakes, each on a line of its own with the key, file and line; contain no secrets
     */
    public ReloadException(List<String> mistakes) {
        super(String.join("\n", mistakes));
        this.mistakes = List.copyOf(mistakes);
    }

    /** Returns all mistakes. */
    public List<String> mistakes() {
        return mistakes;
    }
}
