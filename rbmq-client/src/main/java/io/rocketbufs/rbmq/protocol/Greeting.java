package io.rocketbufs.rbmq.protocol;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * The greeting of a client.
 *
 * @param features the optional parts of the protocol that the client supports, one bit each; the broker ignores bits
 *     that it does not know
 * @param name the client's display name
 * @param token the client's credential; empty for none
 */
public record Greeting(long features, String name, byte[] token) {
    /** Returns true when the client supports an optional part of the protocol, one of {@link Features}. */
    public boolean supports(long feature) {
        return Features.include(features, feature);
    }

    /** Returns true when the token is the expected one; the comparison takes constant time. */
    public boolean presents(String expected) {
        return MessageDigest.isEqual(token, expected.getBytes(StandardCharsets.UTF_8));
    }
}
