package io.rocketbufs.rbmq.client;

/** A handler of requests, which replies to them now or later. */
@FunctionalInterface
public interface RequestHandler {
    /**
     * Called for each request; the requests of one client to one topic arrive in the order in which it made them.
     * Called on the connection's worker, where it must not block, or on the executor in the options, where a request
     * may expire while it waits. An exception becomes an error reply, unless the handler has already replied. It is
     * also counted and reported to {@link SubscriberCallback#onError}.
     *
     * @param request valid until this method returns
     * @param replier replies once, on any thread, even after this method has returned
     */
    void onRequest(Message request, Replier replier);
}
