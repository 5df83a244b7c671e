package io.rocketbufs.cli;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** A mixin with the options of a command that runs as a server until it is stopped. */
public final class ServerOptions {
    private final Supervisor manager = Supervisor.ofProcess();

    @Option(names = "--check-config", description = "Checks the configuration, reports the result, and exits.")
    boolean checkOnly;

    @Option(
            names = "--ports-file",
            paramLabel = "FILE",
            description = "Writes the ports in use to this file when ready, one NAME=PORT on each line.")
    Path portsFile;

    @Option(names = "--end-with-stdin", hidden = true, description = "Ends when standard input ends.")
    boolean endWithStdin;

    /**
     * Sets the format of log lines. The first logged line determines the format, after the options have been parsed.
     * The property is the default value, so that its value is checked like the option's.
     */
    @Option(
            names = "--log-format",
            paramLabel = "FORMAT",
            defaultValue = "${sys:log.format}",
            description =
                    "Format of log lines: text, json or journal. The default is journal if standard error leads to "
                            + "the systemd journal, and text otherwise. Same as -Dlog.format=FORMAT.")
    void setLogFormat(LogFormat format) {
        LogConfiguration.setFormat(format);
    }

    /** Returns whether the command must only check its configuration, report the result, and exit. */
    public boolean checkOnly() {
        return checkOnly;
    }

    /**
     * Checks that the transports of a valid configuration can be used, and reports the result.
     *
     * @param values the configuration's values, one per line
     */
    public void reportValid(RocketBufs rocketBufs, List<String> values, Streams streams) {
        rocketBufs.transports();
        values.forEach(streams::tell);
        streams.tell("the configuration is valid");
    }

    /**
     * Returns a stop request that the next SIGTERM or Ctrl-C triggers. Also makes the process ignore SIGHUP;
     * {@link #onHangUp} changes that.
     */
    public StopRequest stopRequest() {
        HangUp.ignore();
        return StopRequest.bySignal();
    }

    /** Makes the process run a task at each SIGHUP, on a separate thread. */
    public void onHangUp(Runnable task) {
        HangUp.handle(() -> manager.reload(task));
    }

    /**
     * Reports that the command is ready, and waits until it is stopped. To report, writes the file with the ports if
     * requested, prints the ready line, and notifies the service manager. A signal stops the command; if requested, the
     * end of its input does too.
     *
     * @param ports the ports on which the command listens
     * @throws CommandFailure if the file cannot be written
     */
    public void serve(Ports ports, StopRequest stop, Streams streams) throws InterruptedException {
        if (portsFile != null) {
            write(ports);
        }
        streams.tell(ports.readyLine());
        manager.ready(ports.readyLine());
        if (endWithStdin) {
            stop.alsoAtEndOf(streams.in());
        }
        stop.await();
        manager.stopping();
    }

    private void write(Ports ports) {
        try {
            ports.writeTo(portsFile);
        } catch (IOException e) {
            throw CommandFailure.failed("--ports-file " + portsFile + ": cannot be written: " + Reason.of(e));
        }
    }
}
