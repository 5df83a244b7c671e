package io.rocketbufs.cli;

/** The failure of a command. The message is shown to the user, and is usually a single line. */
public final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The exit code of the process. */
    private final int exitCode;

    /**
     * Creates a failure.
     *
     * @param exitCode one of {@link ExitCode}
     * @param message states the input and the problem with it
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
