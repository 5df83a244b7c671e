package io.rocketbufs.rbmq.client;

/** A handler for requests, which replies to them immediately or later. */
@FunctionalInterface
public interface RequestHandler {
    /**
     * Called for each request. The requests of one client to one topic arrive in the order in which it made them.
     * Called on the connection's worker, where it must not block, or on the executor in the options, where a request
     * may expire while it waits. If this method throws an exception, an error reply is sent, unless the handler has
     * already replied. The exception is also counted and reported to {@link SubscriberCallback#onError}.
     *
     * @param request the request, which is valid until this method returns
     * @param replier accepts one reply, on any thread, even after this method has returned
     */
    void onRequest(Message request, Replier replier);
}
