package io.rocketbufs;

/**
 * A listener that one side of a connection offers to the other as an alternative.
 *
 * @param transport the transport's name
 * @param place location of the listener in one line of text that only the transport interprets; at most 1,024 bytes of
 *     UTF-8
 */
public record TransportOffer(String transport, String place) {}
