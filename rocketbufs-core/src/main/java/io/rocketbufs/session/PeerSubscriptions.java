package io.rocketbufs.session;

import io.rocketbufs.link.Link;
import io.rocketbufs.metrics.LossState;
import io.rocketbufs.metrics.SlowState;
import io.rocketbufs.metrics.SubscriptionState;
import io.rocketbufs.options.SubscribePermission;
import io.rocketbufs.out.Expected;
import io.rocketbufs.out.Fanout;
import io.rocketbufs.out.Outputs;
import io.rocketbufs.out.Subscription;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.Reason;
import io.rocketbufs.wire.ControlMessages;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jctools.maps.NonBlockingHashMapLong;

/**
 * One peer's subscriptions to the buffers of the output that is attached to its connection, by tag, and the
 * subscriptions that are expected from this peer.
 *
 * <p><b>Thread-safety:</b> used on the connection's worker, except where a method states otherwise.
 */
final class PeerSubscriptions {
    /**
     * Maximum number of subscriptions of one connection. Each subscription costs about 1 KB of heap and, over RDMA, a
     * registered word.
     */
    static final int MAX_COUNT = 1 << 16;

    private static final SubscriptionListener NO_LISTENER = new SubscriptionListener() {
        @Override
        public void subscribed(int bufferId) {
            // Ignored.
        }

        @Override
        public void subscriptionEnded(SubscriptionState last, long undelivered, String reason) {
            // Ignored.
        }

        @Override
        public boolean watches() {
            return false;
        }

        @Override
        public void slow(int bufferId, SlowState state) {
            // Ignored.
        }

        @Override
        public void losing(int bufferId, LossState state) {
            // Ignored.
        }
    };

    private final Link link;
    private final long writeTimeoutMs;
    private final Runnable onEnded;
    private final NonBlockingHashMapLong<Subscription> byTag = new NonBlockingHashMapLong<>();
    /** Former subscriptions whose tags have been reused. */
    private final Set<Subscription> leaving = new HashSet<>();
    /** Subscriptions whose start, but not yet their end, has been reported to the listener. */
    private final Set<Subscription> reported = new HashSet<>();

    /**
     * The expected subscriptions. They are added on the calling thread, so that the peer's request cannot be handled
     * before its expectation is known.
     */
    private final Queue<Awaited> expected = new ConcurrentLinkedQueue<>();

    private volatile Outputs outputs;
    private volatile SubscribePermission permission = SubscribePermission.ALL;
    private volatile SubscriptionListener listener = NO_LISTENER;
    /** The watches; null while no subscription is watched. */
    private SlowWatches watches;

    private boolean closed;

    /** An expected subscription with its buffer, which the output may have removed. */
    private record Awaited(Expected one, Fanout fanout) {
        private boolean isFor(int bufferId) {
            return fanout.bufferId() == bufferId && !one.isOver();
        }
    }

    /**
     * Creates an empty set without an output.
     *
     * @param onEnded runs on the worker when a subscription has ended
     */
    PeerSubscriptions(Link link, long writeTimeoutMs, Runnable onEnded) {
        this.link = link;
        this.writeTimeoutMs = writeTimeoutMs;
        this.onEnded = onEnded;
    }

    /** Sets the output, which cannot be replaced later, and the permission for its buffers. Any thread. */
    void sendFrom(Outputs from, SubscribePermission allowed, SubscriptionListener hears) {
        if (outputs != null && outputs != from) {
            throw new IllegalStateException("the connection to " + link.peer() + " already has an ROut");
        }
        listener = hears == null ? NO_LISTENER : hears;
        permission = allowed;
        outputs = from;
    }

    /**
     * Accepts or refuses the peer's request.
     *
     * @param closing true when the connection is closing and accepts no new subscriptions
     */
    void onSubscribe(SubscribeRequest request, boolean closing) {
        Outputs from = outputs;
        Fanout fanout = from == null ? null : permitted(fanout(from, request.bufferId()));
        Subscription former = byTag.get(request.tag());
        if (former != null && !former.life().isTagFree()) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    link.peer() + " subscribed with tag " + request.tag() + ", which is already in use");
        }
        String refusal = closing ? "the connection is closing" : subscribe(request, fanout, former);
        if (refusal != null && !closing && from != null) {
            refusal = subscribeToPreserved(from, request, former, refusal);
        }
        if (refusal != null) {
            refuse(request, refusal);
        }
    }

    /** Subscribes the peer to a buffer. Returns null, or the reason if this is not possible. */
    private String subscribe(SubscribeRequest request, Fanout fanout, Subscription former) {
        String refusal = refusalFor(request, fanout);
        if (refusal != null) {
            return refusal;
        }
        RemoteBuffer remote = link.connection().remoteBuffer(request.access(), request.memoryLength());
        AtomicReference<Subscription> entered = new AtomicReference<>();
        Subscription subscription = fanout.subscribe(
                link, request.terms(remote, writeTimeoutMs, () -> link.worker().execute(() -> ended(entered.get()))));
        entered.set(subscription);
        if (subscription == null) {
            return "buffer " + request.bufferId() + " has ended";
        }
        byTag.put(request.tag(), subscription);
        if (former != null) {
            leaving.add(former);
        }
        link.answer(subscription.subscribed(request.correlationId()));
        subscription.activate();
        reported.add(subscription);
        if (listener.watches()) {
            watch(subscription);
        }
        listener.subscribed(request.bufferId());
        return null;
    }

    /**
     * Subscribes the peer to the preserved data of a buffer that has ended.
     *
     * @param otherwise reason why the peer cannot subscribe to the buffer itself; returned if no data is preserved
     */
    private String subscribeToPreserved(Outputs from, SubscribeRequest request, Subscription former, String otherwise) {
        Fanout copy = from.openPreserved(request.bufferId());
        if (copy == null) {
            return otherwise;
        }
        try {
            return permitted(copy) == null ? otherwise : subscribe(request, copy, former);
        } finally {
            copy.end();
        }
    }

    /**
     * Returns the buffer with the given id. This may be an ended and drained buffer, which must still report the missed
     * data to a late subscription.
     */
    private Fanout fanout(Outputs from, int bufferId) {
        Fanout present = from.fanout(bufferId);
        if (present != null) {
            return present;
        }
        return expected.stream()
                .filter(awaited -> awaited.isFor(bufferId))
                .map(Awaited::fanout)
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns null for a buffer to which the peer may not subscribe. Checks the permission only after the buffer has
     * been found, because an application may record a restriction until immediately before it creates the buffer.
     */
    private Fanout permitted(Fanout fanout) {
        return fanout != null && permission.permits(fanout.bufferId()) ? fanout : null;
    }

    private String refusalFor(SubscribeRequest request, Fanout fanout) {
        if (byTag.size() + leaving.size() >= MAX_COUNT) {
            return "this connection has reached the limit of " + MAX_COUNT + " subscriptions";
        }
        return request.refusalFor(fanout, link);
    }

    private void refuse(SubscribeRequest request, String reason) {
        link.answer(ControlMessages.refused(request.tag(), reason, request.correlationId()));
    }

    /**
     * Returns the subscription with the given tag.
     *
     * @throws TransportException with code PROTOCOL if no subscription has this tag
     */
    Subscription get(int tag) {
        Subscription subscription = byTag.get(tag);
        if (subscription == null) {
            throw new TransportException(TransportException.Code.PROTOCOL, "no subscription has tag " + tag);
        }
        return subscription;
    }

    private void ended(Subscription subscription) {
        if (subscription.life().isTagFree()) {
            byTag.remove(subscription.tag(), subscription);
            leaving.remove(subscription);
        }
        try {
            report(subscription, subscription.life().reason());
        } finally {
            onEnded.run();
        }
    }

    private void report(Subscription subscription, String reason) {
        if (reported.remove(subscription)) {
            try {
                if (watches != null) {
                    watches.remove(subscription);
                }
            } finally {
                listener.subscriptionEnded(
                        subscription.state(), subscription.life().undelivered(), reason);
            }
        }
    }

    private void watch(Subscription subscription) {
        if (watches == null) {
            watches = new SlowWatches(link.worker(), System::nanoTime);
        }
        int bufferId = subscription.bufferId();
        watches.add(
                subscription,
                state -> report(bufferId, () -> listener.slow(bufferId, state)),
                state -> report(bufferId, () -> listener.losing(bufferId, state)));
    }

    /** Calls the listener; the watches of other subscriptions continue if it fails. */
    private void report(int bufferId, Runnable call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            if (closed) {
                throw e;
            }
            link.fail(new TransportException(
                    TransportException.Code.PROTOCOL,
                    link.peer() + ": the slow callback for buffer " + bufferId + " failed: " + Reason.of(e),
                    e));
        }
    }

    /** Keeps data delivered into a buffer after this call until the peer subscribes, for a limited time. Any thread. */
    void expect(Fanout fanout, long timeoutMs) {
        Awaited awaited = new Awaited(fanout.expect(link), fanout);
        expected.add(awaited);
        if (link.worker().inWorker()) {
            limit(awaited, timeoutMs);
        } else {
            link.worker().execute(() -> limit(awaited, timeoutMs));
        }
    }

    private void limit(Awaited awaited, long timeoutMs) {
        if (closed) {
            expected.remove(awaited);
            awaited.one().end();
        } else {
            awaited.one().limit(timeoutMs);
        }
    }

    /** Called after {@code elapsedMs} more milliseconds. Returns true if there is a subscription or an expectation. */
    boolean tick(long elapsedMs) {
        Outputs from = outputs;
        if (from != null) {
            from.returnPages();
        }
        if (byTag.isEmpty() && leaving.isEmpty() && expected.isEmpty()) {
            return false;
        }
        // Iterates over a copy: dropping an expectation may call the space callback, which may add another expectation.
        for (Awaited awaited : List.copyOf(expected)) {
            awaited.one().tick(elapsedMs);
        }
        expected.removeIf(awaited -> awaited.one().isOver());
        for (Subscription subscription : byTag.values()) {
            subscription.tick(elapsedMs);
        }
        for (Subscription subscription : List.copyOf(leaving)) {
            subscription.tick(elapsedMs);
        }
        if (watches != null) {
            watches.tick(elapsedMs);
        }
        return true;
    }

    /** Sends the data delivered so far and then END for each buffer, because the connection is closing. */
    void onClosing() {
        for (Subscription subscription : byTag.values()) {
            subscription.onClosing();
        }
    }

    /** Returns true when all subscriptions have stopped sending. */
    boolean areSilent() {
        for (Subscription subscription : byTag.values()) {
            if (!subscription.life().isSilent()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Called when the connection has ended.
     *
     * @param guard runs a step whose callbacks may throw
     */
    void onClosed(String reason, Consumer<Runnable> guard) {
        closed = true;
        leaving.addAll(byTag.values());
        for (Subscription subscription : List.copyOf(leaving)) {
            guard.accept(() -> {
                subscription.cut();
                report(subscription, reason);
            });
        }
        leaving.clear();
        byTag.clear();
        for (Awaited awaited : List.copyOf(expected)) {
            guard.accept(awaited.one()::end);
        }
        expected.clear();
    }
}
