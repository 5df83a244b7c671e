package io.rocketbufs.rbmq.cli;

import com.typesafe.config.ConfigException;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.settings.SettingsException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code rbmq} command: finds the subcommand, runs it, and makes an exit code and one line of what went wrong. */
@Command(
        name = "rbmq",
        description = "A message broker built with RocketBufs, and what goes with it.",
        synopsisSubcommandLabel = "COMMAND")
public final class Main {
    private final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    private Main(Streams streams) {
        this.streams = streams;
    }

    /** Runs a command and ends the process with its exit code. */
    public static void main(String[] arguments) {
        System.exit(run(arguments, Streams.ofProcess()));
    }

    /** Runs a command on this thread. */
    static int run(String[] arguments, Streams streams) {
        if (System.getProperty(LogConfiguration.LEVEL) == null) {
            boolean daemon = arguments.length > 0 && "broker".equals(arguments[0]);
            System.setProperty(LogConfiguration.LEVEL, daemon ? "info" : "error");
        }
        return new Main(streams).execute(arguments);
    }

    private int execute(String[] arguments) {
        CommandLine commandLine = Commands.parserFor(this, arguments, streams)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(streams.out(), true))
                .setErr(new PrintWriter(streams.err(), true))
                .setParameterExceptionHandler((exception, given) -> reportUsage(exception))
                .setExecutionExceptionHandler((exception, command, parsed) -> report(exception));
        int code = commandLine.execute(arguments);
        streams.out().flush();
        return code;
    }

    private int reportUsage(ParameterException exception) {
        CommandLine command = exception.getCommandLine();
        if (exception.getMessage().startsWith("Missing required subcommand")) {
            command.usage(streams.err());
            return ExitCode.USAGE;
        }
        streams.say(exception.getMessage());
        UnmatchedArgumentException.printSuggestions(exception, streams.err());
        streams.err().println("See " + command.getCommandSpec().qualifiedName() + " --help");
        return ExitCode.USAGE;
    }

    private int report(Exception exception) {
        if (exception instanceof CommandFailure failure) {
            streams.say(failure.getMessage());
            return failure.exitCode();
        }
        if (exception instanceof SettingsException || exception instanceof ConfigException) {
            streams.say(exception.getMessage());
            return ExitCode.BAD_CONFIGURATION;
        }
        if (exception instanceof TransportException failure) {
            streams.say(failure.getMessage());
            return failure.code() == TransportException.Code.UNAVAILABLE
                    ? ExitCode.TRANSPORT_UNAVAILABLE
                    : ExitCode.FAILED;
        }
        if (exception instanceof InterruptedException) {
            // A signal: the JVM chooses the exit code.
            return ExitCode.FAILED;
        }
        streams.say("this is a mistake in the program: " + exception);
        exception.printStackTrace(streams.err());
        return ExitCode.FAILED;
    }
}
