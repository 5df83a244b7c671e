package io.rocketbufs.livestream.cli;

/** A command cannot do what was asked; the message is the one line that the user sees. */
final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The process's exit code. */
    private final int exitCode;

    CommandFailure(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    int exitCode() {
        return exitCode;
    }
}
