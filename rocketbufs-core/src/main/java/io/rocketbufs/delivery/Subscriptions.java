package io.rocketbufs.delivery;

import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportException;
import java.util.ArrayList;
import java.util.List;
import org.jctools.maps.NonBlockingHashMapLong;

/**
 * The peer's subscriptions to the buffers of the output that one connection is sent from, by tag, and the places held
 * until it subscribes.
 *
 * <p><b>Thread-safety:</b> the connection's worker, except where a method says otherwise.
 */
final class Subscriptions {
    private final Endpoint endpoint;
    private final NonBlockingHashMapLong<Subscription> byTag = new NonBlockingHashMapLong<>();
    /** Those whose tag is in use again. */
    private final List<Subscription> leaving = new ArrayList<>();

    private final HeldPlaces places = new HeldPlaces();
    private volatile Outputs outputs;

    Subscriptions(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** Names the output, once. Any thread. */
    void to(Outputs from) {
        if (outputs != null && outputs != from) {
            throw new IllegalStateException("the connection to " + endpoint.peer() + " has an ROut already");
        }
        outputs = from;
    }

    /**
     * The peer subscribes.
     *
     * @param closing true when nothing new begins
     */
    void onSubscribe(SubscribeRequest request, boolean closing) {
        Outputs from = outputs;
        Fanout fanout = from == null ? null : from.fanout(request.bufferId());
        Subscription former = byTag.get(request.tag());
        if (former != null && !former.ending().isTagFree()) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL, endpoint.peer() + " subscribes anew with tag " + request.tag());
        }
        String refusal = closing ? "closing" : request.refusalFor(fanout, endpoint);
        if (refusal != null) {
            endpoint.controls().refused(request.tag(), refusal, request.correlationId());
            return;
        }
        Subscription subscription = fanout.subscribe(
                endpoint,
                request.tag(),
                endpoint.connection()
                        .remoteBuffer(new RemoteAccess(request.address(), request.key()), request.capacity()),
                request.transferLimit(),
                SlowPolicy.of(request.policy(), fanout.options().slowPolicy()));
        if (subscription == null) {
            endpoint.controls()
                    .refused(request.tag(), "buffer " + request.bufferId() + " has ended", request.correlationId());
            return;
        }
        byTag.put(request.tag(), subscription);
        if (former != null) {
            leaving.add(former);
        }
        places.taken(fanout);
        endpoint.controls().subscribed(subscription, request.correlationId());
        subscription.activate();
        if (from.listener() != null) {
            from.listener().subscribed(request.bufferId(), endpoint);
        }
    }

    /** The subscription of a tag. */
    Subscription get(int tag) {
        Subscription subscription = byTag.get(tag);
        if (subscription == null) {
            throw new TransportException(TransportException.Code.PROTOCOL, "no subscription has tag " + tag);
        }
        return subscription;
    }

    /** One sends nothing more and uses no memory. */
    void ended(Subscription subscription) {
        if (subscription.ending().isTagFree()) {
            byTag.remove(subscription.tag(), subscription);
            leaving.remove(subscription);
        }
        report(
                subscription,
                subscription.ending().undelivered(),
                subscription.ending().reason());
    }

    private void report(Subscription subscription, long undelivered, String reason) {
        Outputs from = outputs;
        if (from.listener() != null && subscription.ending().claimReport()) {
            from.listener().subscriptionEnded(subscription.bufferId(), endpoint, undelivered, reason);
        }
    }

    /** Holds a place; any thread. */
    void expect(Fanout fanout, long timeoutMs) {
        Expected expected = fanout.expect(endpoint);
        if (endpoint.worker().inWorker()) {
            hold(fanout, expected, timeoutMs);
        } else {
            endpoint.worker().execute(() -> hold(fanout, expected, timeoutMs));
        }
    }

    private void hold(Fanout fanout, Expected expected, long timeoutMs) {
        if (endpoint.isClosed()) {
            fanout.giveUp(expected, true);
        } else if (fanout.knows(expected)) {
            places.add(fanout, expected, timeoutMs);
        }
    }

    void tick(long elapsedMs) {
        places.tick(elapsedMs);
        for (Subscription subscription : byTag.values()) {
            subscription.tick(elapsedMs);
        }
        for (Subscription subscription : leaving) {
            subscription.tick(elapsedMs);
        }
    }

    /** The connection closes: what is delivered by now is sent, then END. */
    void onLastOrders() {
        for (Subscription subscription : byTag.values()) {
            subscription.onLastOrders();
        }
    }

    /** True when none sends anything more. */
    boolean areSilent() {
        for (Subscription subscription : byTag.values()) {
            if (!subscription.ending().isSilent()) {
                return false;
            }
        }
        return true;
    }

    /** The connection has ended. */
    void onClosed(String reason) {
        leaving.addAll(byTag.values());
        for (Subscription subscription : leaving) {
            endpoint.guarded(() -> report(subscription, subscription.cut(), reason));
        }
        leaving.clear();
        byTag.clear();
        endpoint.guarded(places::giveUpAll);
    }
}
