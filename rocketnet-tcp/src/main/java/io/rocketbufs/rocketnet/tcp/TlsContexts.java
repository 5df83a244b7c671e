package io.rocketbufs.rocketnet.tcp;

/**
 * The certificates and authorities that new connections use. They can be replaced at any time; established connections
 * are not affected.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns the contexts.
 */
final class TlsContexts implements AutoCloseable {
    private TlsContext listening;
    private TlsContext connecting;

    /**
     * Creates the contexts.
     *
     * @param listening null if there is no certificate for listeners
     */
    TlsContexts(TlsContext listening, TlsContext connecting) {
        this.listening = listening;
        this.connecting = connecting;
    }

    /** Returns the context of accepted connections; null if there is no certificate. */
    synchronized TlsContext listening() {
        return listening;
    }

    /** Returns the context of initiated connections. */
    synchronized TlsContext connecting() {
        return connecting;
    }

    /** Takes over the contexts of {@code others}, which must not be used after that. */
    void replace(TlsContexts others) {
        TlsContext oldListening;
        TlsContext oldConnecting;
        synchronized (this) {
            oldListening = listening;
            oldConnecting = connecting;
            listening = others.listening;
            connecting = others.connecting;
        }
        close(oldListening);
        close(oldConnecting);
    }

    private static void close(TlsContext context) {
        if (context != null) {
            context.close();
        }
    }

    @Override
    public void close() {
        replace(new TlsContexts(null, null));
    }
}
