package io.rocketbufs.cli;

import picocli.CommandLine.Option;

/** A mixin with the options of a command that serves until it is stopped. */
public final class ServerOptions {
    @Option(names = "--check-config", description = "Checks the configuration, reports the result, and exits.")
    boolean checkOnly;

    @Option(names = "--end-with-stdin", hidden = true, description = "Ends when standard input ends.")
    boolean endWithStdin;

    /** Returns true when the command must only check its configuration, report the result, and exit. */
    public boolean checkOnly() {
        return checkOnly;
    }

    /**
     * Returns a stop request that the next SIGTERM or Ctrl-C triggers. From now on, SIGHUP is ignored;
     * {@link #onHangUp} changes that.
     */
    public StopRequest stopRequest() {
        HangUp.ignore();
        return StopRequest.bySignal();
    }

    /** Runs a task at each SIGHUP from now on, on a separate thread. */
    public void onHangUp(Runnable task) {
        HangUp.handle(task);
    }

    /** Waits until the command is stopped by a signal, or by the end of its input if that was requested. */
    public void await(StopRequest stop, Streams streams) throws InterruptedException {
        if (endWithStdin) {
            stop.alsoAtEndOf(streams.in());
        }
        stop.await();
    }
}
