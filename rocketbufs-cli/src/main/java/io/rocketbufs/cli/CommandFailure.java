package io.rocketbufs.cli;

/** A command cannot do what was asked; the message is the one line that the user sees. */
public final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The process's exit code. */
    private final int exitCode;

    /**
     * Makes one.
     *
     * @param exitCode of {@link ExitCode}
     * @param message names what was given, and what is wrong with it
     */
    public CommandFailure(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** Ends the process with {@link ExitCode#FAILED}. */
    public static CommandFailure failed(String message) {
        return new CommandFailure(ExitCode.FAILED, message);
    }

    /** Ends the process with {@link ExitCode#USAGE}. */
    public static CommandFailure usage(String message) {
        return new CommandFailure(ExitCode.USAGE, message);
    }

    /** What the process ends with. */
    public int exitCode() {
        return exitCode;
    }
}
