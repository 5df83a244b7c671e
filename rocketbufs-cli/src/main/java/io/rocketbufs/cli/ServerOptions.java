package io.rocketbufs.cli;

import picocli.CommandLine.Option;

/** The options of a command that serves until it is stopped, as a mixin. */
public final class ServerOptions {
    @Option(names = "--check-config", description = "Checks the configuration and exits.")
    boolean checkOnly;

    @Option(names = "--end-with-stdin", hidden = true, description = "Ends when standard input ends.")
    boolean endWithStdin;

    /** Returns true when the command must only check its configuration, report the result, and exit. */
    public boolean checkOnly() {
        return checkOnly;
    }

    /** Returns a request to stop that the next SIGTERM or Ctrl-C makes. From now on, SIGHUP is ignored. */
    public StopRequest stopRequest() {
        HangUp.ignore();
        return StopRequest.bySignal();
    }

    /** Waits until the command is stopped by a signal, or by the end of its input if that was requested. */
    public void await(StopRequest stop, Streams streams) throws InterruptedException {
        if (endWithStdin) {
            stop.alsoAtEndOf(streams.in());
        }
        stop.await();
    }
}
