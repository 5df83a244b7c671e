package io.rocketbufs.cli;

import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A handler of SIGHUP, which ends a process by default. A process receives this signal when its terminal is closed, or
 * when a script expects it to reload its configuration.
 *
 * <p>Java's only interface to signals, {@code sun.misc.Signal}, is called through reflection, because javac warns about
 * every use of it.
 */
final class HangUp {
    private static final Logger LOG = LoggerFactory.getLogger(HangUp.class);

    private HangUp() {}

    /** Makes the process ignore SIGHUP, apart from logging a line. Does nothing if the JVM does not support this. */
    static void ignore() {
        handle(() -> LOG.warn("SIGHUP was ignored: a reload is not supported; restart to apply changes"));
    }

    /**
     * Makes the process run a task at each SIGHUP, each time on a separate thread. Does nothing if the JVM does not
     * support this.
     */
    static void handle(Runnable task) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object running = Proxy.newProxyInstance(
                    HangUp.class.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                        // A signal thread has no context class loader, but reading a configuration requires one.
                        Thread.currentThread().setContextClassLoader(HangUp.class.getClassLoader());
                        task.run();
                        return null;
                    });
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), running);
        } catch (ReflectiveOperationException e) {
            LOG.debug("Cannot handle SIGHUP: {}", e.toString());
        }
    }
}
