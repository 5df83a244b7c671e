package io.rocketbufs.cli;

import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The {@code man} command, which packages use to create the program's manual page. */
@Command(
        name = "man",
        hidden = true,
        description = "Prints the manual page of the program, in roff.",
        footer = {
            "",
            "Examples:",
            "  ${ROOT-COMMAND-NAME} man | man -l -",
            "  ${ROOT-COMMAND-NAME} man > ${ROOT-COMMAND-NAME}.1"
        })
final class ManCommand implements Callable<Integer> {
    private final Streams streams;
    private final Supplier<String> page;

    @Mixin
    CommonOptions common = new CommonOptions();

    /**
     * Creates the command.
     *
     * @param page returns the manual page
     */
    ManCommand(Streams streams, Supplier<String> page) {
        this.streams = streams;
        this.page = page;
    }

    @Override
    public Integer call() {
        streams.tell(page.get().stripTrailing());
        return ExitCode.DONE;
    }
}
