package io.rocketbufs.cli;

/** Failure of a command. The message is what the user sees, usually a single line. */
public final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The process's exit code. */
    private final int exitCode;

    /**
     * Creates a failure.
     *
     * @param exitCode one of {@link ExitCode}
     * @param message names the input and the problem with it
     */
    public CommandFailure(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** Returns a failure that ends the process with {@link ExitCode#FAILED}. */
    public static CommandFailure failed(String message) {
        return new CommandFailure(ExitCode.FAILED, message);
    }

    /** Returns a failure that ends the process with {@link ExitCode#USAGE}. */
    public static CommandFailure usage(String message) {
        return new CommandFailure(ExitCode.USAGE, message);
    }

    /** Returns the exit code of the process. */
    public int exitCode() {
        return exitCode;
    }
}
