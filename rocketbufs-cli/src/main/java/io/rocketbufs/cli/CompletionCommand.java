package io.rocketbufs.cli;

import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The {@code completion} command, which prints a script that lets a shell complete commands and options. */
@Command(
        name = "completion",
        description = "Prints a script that lets bash complete commands and options. Load it in ~/.bashrc:"
                + " source <(PROGRAM completion bash)",
        footer = {
            "",
            "Examples:",
            "  ${ROOT-COMMAND-NAME} completion bash",
            "  source <(${ROOT-COMMAND-NAME} completion bash)"
        })
final class CompletionCommand implements Callable<Integer> {
    private final Streams streams;
    private final UnaryOperator<String> script;

    @Mixin
    CommonOptions common = new CommonOptions();

    /** The supported shells. */
    enum Shell {
        BASH
    }

    @Parameters(paramLabel = "SHELL", description = "Must be bash.")
    Shell shell;

    /**
     * Creates the command.
     *
     * @param script returns the script for a program of the given name
     */
    CompletionCommand(Streams streams, UnaryOperator<String> script) {
        this.streams = streams;
        this.script = script;
    }

    @Override
    public Integer call() {
        streams.tell(script.apply(streams.program()));
        return ExitCode.DONE;
    }
}
