package io.rocketbufs.cli;

import io.rocketbufs.settings.SimilarNames;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The {@code help} command. {@code help COMMAND} is the same as {@code COMMAND --help}. */
@Command(
        name = "help",
        description = "Shows the help of the program or of a command.",
        footer = {"", "Examples:", "  ${ROOT-COMMAND-NAME} help", "  ${ROOT-COMMAND-NAME} help demo"})
final class HelpCommand implements Callable<Integer> {
    private final Streams streams;
    private final Supplier<CommandLine> all;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Parameters(
            arity = "0..*",
            paramLabel = "COMMAND",
            description = "Name of a command, optionally followed by the name of its subcommand.")
    List<String> names = List.of();

    /**
     * Creates the command.
     *
     * @param all returns the program with all its commands
     */
    HelpCommand(Streams streams, Supplier<CommandLine> all) {
        this.streams = streams;
        this.all = all;
    }

    @Override
    public Integer call() {
        CommandLine found = all.get();
        for (String name : names) {
            CommandLine next = found.getSubcommands().get(name);
            if (next == null) {
                String nearest =
                        SimilarNames.nearest(name, found.getSubcommands().keySet());
                throw CommandFailure.usage(
                        "there is no command " + name + (nearest == null ? "" : "; did you mean " + nearest + "?"));
            }
            found = next;
        }
        found.usage(streams.out());
        return ExitCode.DONE;
    }
}
