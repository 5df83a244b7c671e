package io.rocketbufs.livestream.cli;

import com.typesafe.config.ConfigException;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.settings.SettingsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The {@code livestream} command: finds the subcommand, runs it, and makes an exit code and a line of what went wrong.
 */
@Command(
        name = "livestream",
        description = "Live video: taken in over TLS, replicated with RocketBufs, delivered over HTTPS.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {RelayCommand.class, EdgeCommand.class, DemoCommand.class, BenchCommand.class})
public final class Main {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this and does nothing else.")
    boolean help;

    private Main() {}

    /** Runs a command and ends the process with its exit code. */
    public static void main(String[] arguments) {
        Logging.configure();
        CommandLine commandLine = new CommandLine(new Main())
                .setParameterExceptionHandler((exception, given) -> reportUsage(exception))
                .setExecutionExceptionHandler((exception, command, parsed) -> report(exception));
        System.exit(commandLine.execute(arguments));
    }

    /** A line for scripts, at once. */
    static void tell(String line) {
        System.out.println(line);
        System.out.flush();
    }

    /** A line for people. */
    static void say(String line) {
        System.err.println("livestream: " + line);
    }

    private static int reportUsage(ParameterException exception) {
        CommandLine command = exception.getCommandLine();
        if (exception.getMessage().startsWith("Missing required subcommand")) {
            command.usage(System.err);
            return ExitCode.USAGE;
        }
        say(exception.getMessage());
        UnmatchedArgumentException.printSuggestions(exception, System.err);
        say("see " + command.getCommandSpec().qualifiedName() + " --help");
        return ExitCode.USAGE;
    }

    private static int report(Exception exception) {
        if (exception instanceof CommandFailure failure) {
            say(failure.getMessage());
            return failure.exitCode();
        }
        if (exception instanceof SettingsException || exception instanceof ConfigException) {
            say(exception.getMessage());
            return ExitCode.BAD_CONFIGURATION;
        }
        if (exception instanceof TransportException failure) {
            say(failure.getMessage());
            return failure.code() == TransportException.Code.UNAVAILABLE
                    ? ExitCode.TRANSPORT_UNAVAILABLE
                    : ExitCode.FAILED;
        }
        if (exception instanceof UncheckedIOException failure) {
            say(failure.getCause().getMessage());
            return ExitCode.FAILED;
        }
        if (exception instanceof IOException) {
            say(exception.getMessage());
            return ExitCode.FAILED;
        }
        if (exception instanceof InterruptedException) {
            // A signal: the JVM chooses the exit code.
            return ExitCode.FAILED;
        }
        say("this is a mistake in the program: " + exception);
        exception.printStackTrace();
        return ExitCode.FAILED;
    }
}
