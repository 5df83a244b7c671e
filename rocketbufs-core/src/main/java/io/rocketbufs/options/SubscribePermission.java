package io.rocketbufs.options;

/**
 * The permission that determines to which of an output's buffers the peer of one connection may subscribe. It is
 * checked once for each request to subscribe to an existing buffer, on the connection's worker, and must not block. To
 * the peer, a buffer to which it may not subscribe appears not to exist.
 *
 * <p>Peers can guess ids. An application that restricts a buffer must therefore record the restriction before it
 * creates or splices the buffer, and must keep the restriction until the buffer no longer exists. The restriction then
 * applies as soon as the buffer exists, because a request looks up the buffer before it checks the permission.
 */
@FunctionalInterface
public interface SubscribePermission {
    /** Permission for all buffers. */
    SubscribePermission ALL = bufferId -> true;

    /** Returns true if the peer may subscribe to a buffer; the answer applies to this subscription only. */
    boolean permits(int bufferId);
}
