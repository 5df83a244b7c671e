package io.rocketbufs.cli;

import picocli.CommandLine.Option;

/** A mixin with the options of a command that serves until it is stopped. */
public final class ServerOptions {
    private final Supervisor manager = Supervisor.ofProcess();

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
        HangUp.handle(() -> manager.reload(task));
    }

    /**
     * Prints the ready line, and tells the service manager that the command is ready. Waits until the command is
     * stopped by a signal, or by the end of its input if that was requested.
     *
     * @param ports the ports on which the command listens
     */
    public void serve(Ports ports, StopRequest stop, Streams streams) throws InterruptedException {
        streams.tell(ports.readyLine());
        manager.ready(ports.readyLine());
        if (endWithStdin) {
            stop.alsoAtEndOf(streams.in());
        }
        stop.await();
        manager.stopping();
    }
}
