package io.rocketbufs;

/**
 * The options for opening a connection.
 *
 * @param transport name of the transport; null selects the configured transport
 * @param role the role of the connecting side
 * @param greeting up to 4,096 bytes to send to the listening side in the first message
 * @param callback invoked before any other event of the connection; can attach an RIn or ROut
 */
public record ConnectOptions(String transport, Role role, byte[] greeting, ConnectionCallback callback) {
    private static final int MAX_GREETING_LENGTH = 4096;

    /** Checks the length of the greeting and copies the greeting. */
    public ConnectOptions {
        if (greeting.length > MAX_GREETING_LENGTH) {
            throw new IllegalArgumentException(
                    "greeting.length=" + greeting.length + " exceeds " + MAX_GREETING_LENGTH);
        }
        greeting = greeting.clone();
    }

    /** Returns options with the given role and callback, the configured transport and no greeting. */
    public static ConnectOptions as(Role role, ConnectionCallback callback) {
        return new ConnectOptions(null, role, new byte[0], callback);
    }

    /** Returns a copy with the given transport. */
    public ConnectOptions over(String transport) {
        return new ConnectOptions(transport, role, greeting, callback);
    }

    /** Returns a copy with the given greeting. */
    public ConnectOptions withGreeting(byte[] greeting) {
        return new ConnectOptions(transport, role, greeting, callback);
    }
}
