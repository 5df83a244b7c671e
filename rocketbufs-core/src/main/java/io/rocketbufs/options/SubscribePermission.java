package io.rocketbufs.options;

/**
 * Decides to which buffers of an output the peer of one connection may subscribe. It is asked once for each
 * subscription that the peer requests for a buffer that exists, on the connection's worker, and must not block. To the
 * peer, a buffer that it may not subscribe to looks as if it did not exist.
 *
 * <p>Peers can guess ids, so an application that restricts a buffer must record the restriction before it creates or
 * splices the buffer, and must keep it until the buffer no longer exists. The restriction then applies from the first
 * moment, because a subscription looks for the buffer before it asks.
 */
@FunctionalInterface
public interface SubscribePermission {
    /** Permission for all buffers. */
    SubscribePermission ALL = bufferId -> true;

    /** Returns true when the peer may subscribe to a buffer; the answer applies to this subscription only. */
    boolean permits(int bufferId);
}
