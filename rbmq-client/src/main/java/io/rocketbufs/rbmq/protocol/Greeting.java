package io.rocketbufs.rbmq.protocol;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * What a client said of itself.
 *
 * @param name what it wants to be shown as, for people
 * @param token what it presents to be let in; empty when nothing
 */
public record Greeting(String name, byte[] token) {
    /** True when the token is that one; takes the same time whatever the difference. */
    public boolean presents(String expected) {
        return MessageDigest.isEqual(token, expected.getBytes(StandardCharsets.UTF_8));
    }
}
