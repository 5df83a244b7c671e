package io.rocketbufs.cli;

import io.rocketbufs.memory.UnixDatagram;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/**
 * The service manager that started this process and is notified of the process's state: systemd, for a unit with
 * {@code Type=notify}, or a container engine. sd_notify(3) describes the messages.
 *
 * <pre>
 *               ready               the first reload begins
 *   STARTING ----------&gt; SERVING -------------------------&gt; RELOADING
 *                         |   ^                              |   |
 *                         |   +----- the last reload ends ---+   |
 *                         |                                      |
 *                         +----- stopping -----&gt; STOPPING &lt;------+
 * </pre>
 *
 * <p>Sending blocks while the service manager's queue is full, as with sd_notify(3). A service manager that does not
 * read its queue ends the process after its own timeout.
 *
 * <p><b>Thread-safety:</b> any thread may use it.
 */
final class Supervisor {
    private static final String SOCKET = "NOTIFY_SOCKET";

    private enum State {
        STARTING,
        SERVING,
        RELOADING,
        STOPPING
    }

    /** The address of the service manager's socket; null if there is no service manager. */
    private final String socket;

    private State state = State.STARTING;
    private int reloadCount;

    /**
     * Creates an object that notifies a service manager.
     *
     * @param socket the address of the service manager's socket; null or empty if there is no service manager
     */
    Supervisor(String socket) {
        this.socket = socket == null || socket.isEmpty() ? null : socket;
    }

    /**
     * Returns the service manager named in the environment. If there is none, the methods of the returned object do
     * nothing.
     */
    static Supervisor ofProcess() {
        return new Supervisor(System.getenv(SOCKET));
    }

    /**
     * Called when the program is ready to serve clients.
     *
     * @param status one line that the service manager shows to operators
     */
    synchronized void ready(String status) {
        state = State.SERVING;
        tell("READY=1\nSTATUS=" + status);
    }

    /** Runs a task that reloads the configuration. Several tasks may run at the same time. */
    void reload(Runnable task) {
        beginReload();
        try {
            task.run();
        } finally {
            endReload();
        }
    }

    private synchronized void beginReload() {
        reloadCount++;
        if (state == State.SERVING) {
            state = State.RELOADING;
            // On Linux, System.nanoTime() reads the clock that systemd expects.
            tell("RELOADING=1\nMONOTONIC_USEC=" + TimeUnit.NANOSECONDS.toMicros(System.nanoTime()));
        }
    }

    private synchronized void endReload() {
        reloadCount--;
        if (state == State.RELOADING && reloadCount == 0) {
            state = State.SERVING;
            tell("READY=1");
        }
    }

    /** Called when the program starts shutting down. */
    synchronized void stopping() {
        state = State.STOPPING;
        tell("STOPPING=1");
    }

    private void tell(String message) {
        if (socket == null) {
            return;
        }
        try {
            UnixDatagram.send(socket, message.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // The logger is not static, because this object exists before the options, which set the log level, have
            // been parsed.
            LoggerFactory.getLogger(Supervisor.class)
                    .warn(
                            "The service manager could not be notified of {}: {}={}: {}",
                            message.replace('\n', ' '),
                            SOCKET,
                            socket,
                            e.getMessage());
        }
    }
}
