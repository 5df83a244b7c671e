package io.rocketbufs.rbmq.protocol;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * The greeting of a client.
 *
 * @param name the client's display name
 * @param token the client's credential; empty for none
 */
public record Greeting(String name, byte[] token) {
    /** Returns true when the token is the expected one; the comparison takes constant time. */
    public boolean presents(String expected) {
        return MessageDigest.isEqual(token, expected.getBytes(StandardCharsets.UTF_8));
    }
}
