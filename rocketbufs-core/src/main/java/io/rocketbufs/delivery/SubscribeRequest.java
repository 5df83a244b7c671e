package io.rocketbufs.delivery;

import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.wire.ImmediateLayout;
import io.rocketbufs.wire.SubscribeLayout;
import java.nio.ByteBuffer;

/** What a SUBSCRIBE message asks for, checked as far as the message alone allows. */
record SubscribeRequest(
        int correlationId,
        int bufferId,
        int tag,
        long capacity,
        int transferLimit,
        int policy,
        int demand,
        long address,
        long key) {

    /**
     * Subscriptions of one connection to one buffer. More than one is rare: who unsubscribes may subscribe again before
     * the sender has heard of the former.
     */
    static final int MAX_AT_ONCE = 1024;

    /** Reads the body; wrong numbers are the peer's breach of the protocol. */
    static SubscribeRequest of(ByteBuffer body, int correlationId) {
        SubscribeRequest request = new SubscribeRequest(
                correlationId,
                SubscribeLayout.bufferId(body),
                SubscribeLayout.tag(body),
                SubscribeLayout.capacity(body),
                SubscribeLayout.transferLimit(body),
                SubscribeLayout.policy(body),
                SubscribeLayout.demand(body),
                SubscribeLayout.address(body),
                SubscribeLayout.key(body));
        if (request.tag < 0
                || request.tag > ImmediateLayout.MAX_TAG
                || request.capacity < 1
                || request.transferLimit < 1
                || SlowPolicy.of(request.policy, SlowPolicy.BLOCK) == null
                || request.demand < 0
                || request.demand > 2) {
            throw new TransportException(TransportException.Code.PROTOCOL, "impossible " + request);
        }
        return request;
    }

    /** Why the request of a peer cannot be granted; null when it can. */
    String refusalFor(Fanout fanout, Endpoint peer) {
        if (fanout == null) {
            return "buffer " + bufferId + " does not exist";
        }
        if (fanout.subscriptionCount(peer) >= MAX_AT_ONCE) {
            return "buffer " + bufferId + " is subscribed to " + MAX_AT_ONCE + " times on this connection";
        }
        if (demand != 0 && demand == 1 != fanout.options().flowControl()) {
            return "buffer " + bufferId + " has flow control "
                    + (fanout.options().flowControl() ? "on" : "off");
        }
        if (capacity < fanout.longestCoalesced()) {
            return "capacity=" + capacity + " is less than the transfers of up to " + fanout.longestCoalesced()
                    + " bytes that buffer " + bufferId + " passes on";
        }
        return null;
    }
}
