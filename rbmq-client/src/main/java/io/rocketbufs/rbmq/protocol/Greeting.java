package io.rocketbufs.rbmq.protocol;

/**
 * The greeting of a client.
 *
 * @param features the optional parts of the protocol that the client supports, one bit each; the broker ignores bits
 *     that it does not recognize
 * @param name the client's display name
 * @param token the client's token; empty if it has none
 */
public record Greeting(long features, String name, byte[] token) {
    /** Returns true if the client supports the given optional part of the protocol, one of {@link Features}. */
    public boolean supports(long feature) {
        return Features.include(features, feature);
    }
}
