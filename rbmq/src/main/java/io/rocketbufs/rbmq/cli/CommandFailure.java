package io.rocketbufs.rbmq.cli;

/** A command cannot do what was asked; the message is the one line that the user sees. */
final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The process's exit code. */
    private final int exitCode;

    CommandFailure(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    static CommandFailure failed(String message) {
        return new CommandFailure(ExitCode.FAILED, message);
    }

    static CommandFailure usage(String message) {
        return new CommandFailure(ExitCode.USAGE, message);
    }

    int exitCode() {
        return exitCode;
    }
}
