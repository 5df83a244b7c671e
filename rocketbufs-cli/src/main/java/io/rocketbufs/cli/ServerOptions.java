package io.rocketbufs.cli;

import picocli.CommandLine.Option;

/** The options of a command that serves until it is told to stop, as a mixin. */
public final class ServerOptions {
    @Option(names = "--check-config", description = "Checks the configuration, and does nothing else.")
    boolean checkOnly;

    @Option(names = "--end-with-stdin", hidden = true, description = "Ends when its standard input does.")
    boolean endWithStdin;

    /** True when the command shall check its configuration, say so, and end. */
    public boolean checkOnly() {
        return checkOnly;
    }

    /** Waits until the command is told to stop: by a signal, or by the end of its input if that was asked for. */
    public void await(StopRequest stop, Streams streams) throws InterruptedException {
        if (endWithStdin) {
            stop.alsoAtEndOf(streams.in());
        }
        stop.await();
    }
}
