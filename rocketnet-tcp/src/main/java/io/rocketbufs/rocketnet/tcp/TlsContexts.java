package io.rocketbufs.rocketnet.tcp;

import java.time.Instant;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The certificates and authorities that new connections use. They can be replaced at any time; established connections
 * are not affected.
 *
 * <p><b>Thread-safety:</b> any thread may use them. <b>Ownership:</b> owns the contexts.
 */
final class TlsContexts implements AutoCloseable {
    private TlsContext listening;
    private TlsContext connecting;
    private boolean isClosed;

    /**
     * Creates the contexts.
     *
     * @param listening context of accepted connections; null if there is no certificate for listeners
     */
    TlsContexts(TlsContext listening, TlsContext connecting) {
        this.listening = listening;
        this.connecting = connecting;
    }

    /**
     * Returns the context of accepted or of initiated connections. Returns null for accepted connections if there is no
     * certificate for listeners.
     */
    synchronized TlsContext of(boolean isServer) {
        return isServer ? listening : connecting;
    }

    /**
     * Creates the TLS engine of one connection. Returns null if these contexts are closed.
     *
     * @param host the name or numeric address for which the server's certificate must be valid; null on the server
     */
    TlsEngine newEngine(String host) {
        TlsContext context;
        synchronized (this) {
            if (isClosed) {
                return null;
            }
            context = of(host == null);
            context.use(); // prevents a replacement from releasing the context
        }
        return context.newEngine(host);
    }

    /** Takes over a context, which replaces the same side's previous context. */
    void replace(TlsContext next) {
        TlsContext former;
        synchronized (this) {
            if (isClosed) {
                former = next;
            } else if (next.isServer()) {
                former = listening;
                listening = next;
            } else {
                former = connecting;
                connecting = next;
            }
        }
        close(former);
    }

    /** Returns the earliest expiry of either side's own certificates, or null if there are none. */
    Instant certificateEnd() {
        return Stream.of(of(true), of(false))
                .filter(Objects::nonNull)
                .map(TlsContext::certificateEnd)
                .filter(Objects::nonNull)
                .min(Instant::compareTo)
                .orElse(null);
    }

    private static void close(TlsContext context) {
        if (context != null) {
            context.close();
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            if (isClosed) {
                return;
            }
            isClosed = true;
        }
        close(listening);
        close(connecting);
    }
}
