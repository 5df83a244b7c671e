package io.rocketbufs;

/**
 * How to connect.
 *
 * @param transport name of the transport; null takes the configured one
 * @param role what this side is going to do
 * @param greeting told to the listening side with the first message, at most 4,096 bytes
 * @param callback attaches RIn or ROut before anything arrives
 */
public record ConnectOptions(String transport, Role role, byte[] greeting, ConnectionCallback callback) {
    private static final int MAX_GREETING_LENGTH = 4096;

    /** Checks and copies the greeting. */
    public ConnectOptions {
        if (greeting.length > MAX_GREETING_LENGTH) {
            throw new IllegalArgumentException("greeting.length=" + greeting.length);
        }
        greeting = greeting.clone();
    }

    /** Over the configured transport, without a greeting. */
    public static ConnectOptions as(Role role, ConnectionCallback callback) {
        return new ConnectOptions(null, role, new byte[0], callback);
    }

    /** These over a named transport. */
    public ConnectOptions over(String transport) {
        return new ConnectOptions(transport, role, greeting, callback);
    }

    /** These with a greeting. */
    public ConnectOptions withGreeting(byte[] greeting) {
        return new ConnectOptions(transport, role, greeting, callback);
    }
}
