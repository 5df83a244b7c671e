package io.rocketbufs.session;

import io.rocketbufs.link.Link;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.Start;
import io.rocketbufs.out.Fanout;
import io.rocketbufs.out.SubscriptionTerms;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.wire.ImmediateLayout;
import io.rocketbufs.wire.SubscribeLayout;
import java.nio.ByteBuffer;

/**
 * The content of a SUBSCRIBE message, with all values in their valid ranges. {@link #refusalFor} checks it against the
 * buffer.
 */
record SubscribeRequest(
        int correlationId,
        int bufferId,
        int tag,
        long capacity,
        int transferLimit,
        int policy,
        int demand,
        RemoteAccess access,
        long start,
        long kept,
        long identity) {

    /**
     * Maximum number of subscriptions of one connection to one buffer. More than one subscription is rare, but can
     * occur when a peer unsubscribes and subscribes again before the sender has received UNSUBSCRIBE.
     */
    static final int MAX_PER_BUFFER = 1024;

    private static final int WITH_FLOW_CONTROL = 1;
    private static final int WITHOUT_FLOW_CONTROL = 2;

    /** Reads the body of a message. A value outside its valid range is a protocol violation by the peer. */
    static SubscribeRequest of(ByteBuffer body, int correlationId) {
        SubscribeRequest request = new SubscribeRequest(
                correlationId,
                SubscribeLayout.bufferId(body),
                SubscribeLayout.tag(body),
                SubscribeLayout.capacity(body),
                SubscribeLayout.transferLimit(body),
                SubscribeLayout.policy(body),
                SubscribeLayout.demand(body),
                new RemoteAccess(SubscribeLayout.address(body), SubscribeLayout.key(body)),
                SubscribeLayout.start(body),
                SubscribeLayout.kept(body),
                SubscribeLayout.identity(body));
        if (request.tag < 0
                || request.tag > ImmediateLayout.MAX_TAG
                || request.capacity < 1
                || request.transferLimit < 1
                || SlowPolicy.of(request.policy, SlowPolicy.BLOCK) == null
                || request.demand < 0
                || request.demand > WITHOUT_FLOW_CONTROL
                || !Start.isValid(request.start)
                || request.kept < 0
                || request.kept > Long.MAX_VALUE - request.capacity) {
            throw new TransportException(TransportException.Code.PROTOCOL, "invalid " + request);
        }
        return request;
    }

    /** Returns the reason for refusing a peer's request; null if it can be accepted. */
    String refusalFor(Fanout fanout, Link peer) {
        if (fanout == null) {
            return "buffer " + bufferId + " does not exist";
        }
        if (fanout.subscriptionCount(peer) >= MAX_PER_BUFFER) {
            return "this connection already has " + MAX_PER_BUFFER + " subscriptions to buffer " + bufferId;
        }
        if (demand == WITHOUT_FLOW_CONTROL && fanout.options().flowControl()) {
            return "buffer " + bufferId + " has flow control on";
        }
        if (fanout.options().resume() && policy == SlowPolicy.SKIP.code()) {
            return "buffer " + bufferId
                    + " keeps data until it is consumed (BufferOptions.withResume), so no subscriber"
                    + " can have the policy SKIP";
        }
        return fanout.refusalOf(new Start(start), capacity);
    }

    /** Returns the length of the peer's memory in bytes. */
    long memoryLength() {
        return capacity + kept;
    }

    SubscriptionTerms terms(RemoteBuffer remote, long writeTimeoutMs, Runnable onEnded) {
        return new SubscriptionTerms(
                tag,
                remote,
                capacity,
                transferLimit,
                SlowPolicy.of(policy, null),
                demand == WITH_FLOW_CONTROL,
                new Start(start),
                identity,
                writeTimeoutMs,
                onEnded);
    }
}
