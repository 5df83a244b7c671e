package io.rocketbufs.cli;

import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A handler of SIGHUP, which ends a process by default. A process receives this signal when its terminal is closed, or
 * when a script expects it to reload its configuration.
 *
 * <p>Java's only interface to signals, {@code sun.misc.Signal}, is called by reflection, because javac warns about
 * every use of it.
 */
final class HangUp {
    private static final Logger LOG = LoggerFactory.getLogger(HangUp.class);

    private HangUp() {}

    /** Ignores SIGHUP from now on, apart from a log line. Does nothing where the JVM does not support this. */
    static void ignore() {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object logging = Proxy.newProxyInstance(
                    HangUp.class.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                        LOG.warn("SIGHUP was ignored: a reload is not supported yet; restart to apply changes");
                        return null;
                    });
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), logging);
        } catch (ReflectiveOperationException e) {
            LOG.debug("Cannot ignore SIGHUP: {}", e.toString());
        }
    }
}
