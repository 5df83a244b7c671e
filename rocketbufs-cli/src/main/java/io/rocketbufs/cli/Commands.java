package io.rocketbufs.cli;

import com.typesafe.config.ConfigException;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.settings.SettingsException;
import io.rocketbufs.settings.SimilarNames;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.file.FileSystemException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.MaxValuesExceededException;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The subcommands of a program. This class runs the requested subcommand, and converts failures to an exit code and a
 * line on standard error.
 *
 * <p><b>Thread-safety:</b> confined to one thread.
 */
public final class Commands {
    /** The replacement for bytes of an argument that are not valid UTF-8. No character has this code point. */
    static final char NOT_UTF_8 = '\uFFFF';

    private final Object main;
    private final Map<String, Function<Streams, Object>> makers = new LinkedHashMap<>();

    /**
     * Creates a program without subcommands.
     *
     * @param main the program itself, with picocli's annotations
     */
    public Commands(Object main) {
        this.main = main;
    }

    private Object completion(Streams streams) {
        return new CompletionCommand(streams, program -> AutoComplete.bash(program, parserOfAll(streams)));
    }

    private Object manual(Streams streams) {
        return new ManCommand(streams, () -> {
            CommandLine all = parserOfAll(streams);
            return ManualPage.of(all, all.getCommandSpec().version()[0]);
        });
    }

    /**
     * Adds a subcommand. The help lists subcommands in the order in which they were added.
     *
     * @param maker creates the command: a callable with picocli's annotations whose result is the exit code. Only the
     *     requested command is created, because a script may start many processes for one short command each
     */
    public Commands add(String name, Function<Streams, Object> maker) {
        makers.put(name, maker);
        return this;
    }

    /**
     * Runs a command on this thread. Exceptions are reported on {@code err}.
     *
     * @return the exit code, see {@link ExitCode}
     */
    public int run(String[] arguments, Streams streams) {
        add("help", own -> new HelpCommand(own, () -> parserOfAll(own)));
        add("completion", this::completion);
        add("man", this::manual);
        CommandLine parser = parserFor(arguments, streams);
        int refused = refuse(parser, arguments, streams);
        if (refused != ExitCode.DONE) {
            return refused;
        }
        int code = parser.setCaseInsensitiveEnumValuesAllowed(true)
                // A message may start with -h or @, which must not request help or read arguments from a file.
                .setPosixClusteredShortOptionsAllowed(false)
                .setExpandAtFiles(false)
                .setOut(new PrintWriter(streams.out(), true))
                .setErr(new PrintWriter(streams.err(), true))
                .setParameterExceptionHandler((exception, given) -> reportUsage(exception, streams))
                .setExecutionExceptionHandler((exception, command, parsed) -> report(exception, streams))
                .execute(arguments);
        streams.out().flush();
        LogConfiguration.flush();
        return code;
    }

    /**
     * Returns a parser for the named command. If no command is named, the parser covers all commands, for help and
     * usage errors.
     */
    private CommandLine parserFor(String[] arguments, Streams streams) {
        Function<Streams, Object> named = arguments.length == 0 ? null : makers.get(arguments[0]);
        if (named == null) {
            return parserOfAll(streams);
        }
        return new CommandLine(main).addSubcommand(arguments[0], named.apply(streams));
    }

    private CommandLine parserOfAll(Streams streams) {
        CommandLine parser = new CommandLine(main);
        parser.getCommandSpec().versionProvider(new Version(streams.program()));
        makers.forEach((name, maker) -> parser.addSubcommand(name, maker.apply(streams)));
        return parser;
    }

    /** Reports the first argument that is not valid UTF-8. Returns the exit code. */
    private static int refuse(CommandLine command, String[] arguments, Streams streams) {
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i].indexOf(NOT_UTF_8) >= 0) {
                boolean takesFile = command.getSubcommands().values().stream()
                        .anyMatch(each -> each.getCommandSpec().findOption("--file") != null);
                streams.say("argument " + (i + 1) + " is not UTF-8"
                        + (takesFile ? "; --file - publishes the bytes of standard input as they are" : ""));
                return ExitCode.USAGE;
            }
        }
        return ExitCode.DONE;
    }

    private static int reportUsage(ParameterException exception, Streams streams) {
        CommandLine command = exception.getCommandLine();
        if (exception.getMessage().startsWith("Missing required subcommand")) {
            command.usage(streams.err());
            return ExitCode.USAGE;
        }
        if (exception instanceof UnmatchedArgumentException unmatched) {
            streams.say(explain(unmatched));
            // For an option, the explanation already contains a suggestion.
            boolean isCommand = !unmatched.getUnmatched().get(0).startsWith("-");
            if (isCommand && !command.getSubcommands().isEmpty()) {
                UnmatchedArgumentException.printSuggestions(exception, streams.err());
            }
        } else {
            streams.say(exception.getMessage());
        }
        dashHint(exception).ifPresent(streams.err()::println);
        streams.err().println("See " + command.getCommandSpec().qualifiedName() + " --help");
        return ExitCode.USAGE;
    }

    /**
     * Returns the error for an unknown command or option, or for too many arguments. It names the command or option,
     * and suggests a similar option. It shows no option value and no other argument, because these may be secrets.
     */
    private static String explain(UnmatchedArgumentException exception) {
        CommandLine command = exception.getCommandLine();
        String first = exception.getUnmatched().get(0);
        if (!first.startsWith("-")) {
            return command.getSubcommands().isEmpty() ? "Too many arguments" : "Unknown command: '" + first + "'";
        }
        String name = first.split("=", 2)[0];
        List<String> known = command.getCommandSpec().options().stream()
                .filter(option -> !option.hidden())
                .map(OptionSpec::longestName)
                .toList();
        String nearest = name.startsWith("--") ? SimilarNames.nearest(name, known) : null;
        return "Unknown option: '" + name + "'" + (nearest == null ? "" : "; did you mean " + nearest + "?");
    }

    /**
     * Returns the hint to put -- before an argument that starts with -, if the argument may be intended as a parameter.
     */
    private static Optional<String> dashHint(ParameterException exception) {
        List<PositionalParamSpec> parameters =
                exception.getCommandLine().getCommandSpec().positionalParameters();
        // This also applies if the parameter is reported as missing because its argument was taken for an option.
        boolean isUnknownOption =
                exception.getCommandLine().getUnmatchedArguments().stream().anyMatch(each -> each.startsWith("-"));
        boolean isHelpWithText = exception instanceof MaxValuesExceededException
                && exception.getMessage().startsWith("option '--help'");
        if (parameters.isEmpty() || !isUnknownOption && !isHelpWithText) {
            return Optional.empty();
        }
        String names = parameters.stream().map(PositionalParamSpec::paramLabel).collect(Collectors.joining(" or "));
        return Optional.of("If " + names + " begins with -, put -- before it");
    }

    /** Returns the reason for an exception in plain words, with the file or host that it concerns, if any. */
    private static String text(IOException exception) {
        String reason = Reason.of(exception);
        String subject = subject(exception);
        return subject == null ? reason : subject + ": " + reason;
    }

    private static String subject(IOException exception) {
        if (exception instanceof FileSystemException failure) {
            return failure.getFile();
        }
        // The JVM may append the resolver's text to the host.
        return exception instanceof UnknownHostException && exception.getMessage() != null
                ? exception.getMessage().split(": ", 2)[0]
                : null;
    }

    private static int code(IOException exception) {
        if (exception instanceof SocketTimeoutException) {
            return ExitCode.TIMEOUT;
        }
        return exception instanceof SocketException || exception instanceof UnknownHostException
                ? ExitCode.UNAVAILABLE
                : ExitCode.FAILED;
    }

    private static int report(Exception exception, Streams streams) {
        if (exception instanceof CommandFailure failure) {
            failure.getMessage().lines().forEach(streams::say);
            return failure.exitCode();
        }
        if (exception instanceof SettingsException failure) {
            failure.messages().forEach(streams::say);
            return ExitCode.BAD_CONFIGURATION;
        }
        if (exception instanceof ConfigException) {
            streams.say(exception.getMessage());
            return ExitCode.BAD_CONFIGURATION;
        }
        if (exception instanceof TransportException failure) {
            streams.say(failure.getMessage());
            return ExitCode.of(failure.code());
        }
        if (exception instanceof IOException failure) {
            streams.say(text(failure));
            return code(failure);
        }
        if (exception instanceof UncheckedIOException failure) {
            streams.say(text(failure.getCause()));
            return code(failure.getCause());
        }
        if (exception instanceof InterruptedException) {
            // After a signal, the JVM chooses the exit code.
            return ExitCode.FAILED;
        }
        streams.say("internal error: " + exception);
        exception.printStackTrace(streams.err());
        return ExitCode.FAILED;
    }
}
