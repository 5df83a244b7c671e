package io.rocketbufs.rbmq.client;

import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.Segment;
import io.rocketbufs.options.Start;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rbmq.protocol.BufferTable;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rocketnet.TransportException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The buffers that a subscriber reads: one for each publisher of each topic, however many subscriptions match the
 * topic. A message therefore arrives once, and is handed to each of these subscriptions.
 *
 * <p><b>Thread-safety:</b> the connection's worker. <b>Ownership:</b> owns the RIn's buffers. A buffer is unsubscribed
 * from when it has ended, its last subscription has ended, or one of its frames is malformed.
 *
 * <p>The end of a buffer does not show whether its publisher has left: see {@link EndedBuffers}.
 */
final class PublisherBuffers {
    private final RIn in;
    private final Connection connection;
    private final ClientSettings settings;
    private final SubscriberCallback callback;
    private final Reached reached;
    private final Continuation continuation;
    /** The buffers, by the broker's id. */
    private final BufferTable<PublisherBuffer> buffers = new BufferTable<>();

    private final EndedBuffers ended;
    private final GapReports reports;

    /** The buffers that are subscribed to later, with the capacities of their publishers' buffers. */
    private final Map<PublisherBuffer, Long> deferred = new LinkedHashMap<>();

    private PublisherBuffer last;

    /**
     * Creates an empty set.
     *
     * @param reached the places that were reached on former connections
     * @param continuation the subscriptions that continue there
     */
    PublisherBuffers(
            RIn in, ClientSettings settings, SubscriberCallback callback, Reached reached, Continuation continuation) {
        this.in = in;
        this.connection = in.connection();
        this.settings = settings;
        this.callback = callback;
        this.reached = reached;
        this.continuation = continuation;
        this.ended = new EndedBuffers(callback);
        this.reports = new GapReports(callback);
        in.setDataInCallback(this::onData);
        in.setGapCallback((bufferId, position, lost) -> onGap(bufferId, lost));
        in.setBufferEndCallback(this::onBufferEnd);
    }

    /**
     * Adds a subscription to a buffer that the broker has added to a topic. Subscribes to the buffer unless another
     * subscription has already done that.
     */
    void add(Subscription subscription, String topic, BuffersLayout.Entry entry) {
        if (subscription.isLeft()) {
            return;
        }
        PublisherBuffer known = buffers.get(entry.bufferId());
        if (known != null && (known.policy() != subscription.policy() || mustBeginAnew(known, subscription))) {
            // The Subscriber has accepted another policy or start: the former subscriptions are closed.
            giveUp(known);
            known = null;
        }
        if (known != null) {
            known.checkNew(subscription, topic);
            known.attach(subscription, known.isBehind() ? in.receivedPosition(known.bufferId()) : 0);
            boolean isTooLate = known.isSettled() || !known.requestsOlder();
            if (isTooLate && startOf(subscription).isOlder() && !continuation.includes(topic)) {
                reports.missedHistory(known, subscription);
            }
        } else {
            create(topic, entry, subscription);
        }
    }

    private static boolean mustBeginAnew(PublisherBuffer known, Subscription subscription) {
        return known.isDeserted() && startOf(subscription).isOlder();
    }

    /** Returns where a buffer begins that the broker adds now: one that appears later begins at its beginning. */
    private static SubscriptionStart startOf(Subscription subscription) {
        return subscription.request().isListed() ? SubscriptionStart.LIVE : subscription.start();
    }

    private void create(String topic, BuffersLayout.Entry entry, Subscription subscription) {
        int publisher = entry.publisher();
        Reached.Place place = reached.take(entry.bufferId());
        boolean continues = subscription.group() == null && continuation.includes(topic);
        PublisherBuffer buffer = new PublisherBuffer(
                topic,
                entry.bufferId(),
                publisher,
                subscription.policy(),
                // A buffer that appeared while the connection was lost continues at its beginning, position 0.
                continues ? Start.at(place.position()) : startOf(subscription).place(),
                continues ? place.livePosition() : 0,
                (to, failure) -> reports.handlerFailure(to, topic, publisher, failure));
        buffers.put(entry.bufferId(), buffer);
        buffer.attach(subscription, 0);
        if (continues && continuation.includesOthers(topic, subscription)) {
            deferred.put(buffer, entry.capacity());
        } else {
            subscribe(buffer, entry.capacity());
        }
    }

    /**
     * Subscribes to the buffers for which further subscriptions were expected. If that happened before, these
     * subscriptions would miss what arrives in between.
     */
    void subscribeToDeferred() {
        while (!deferred.isEmpty()) { // a callback can remove others
            PublisherBuffer next = deferred.keySet().iterator().next();
            subscribe(next, deferred.remove(next));
        }
    }

    private void subscribe(PublisherBuffer buffer, long publishersCapacity) {
        request(buffer, publishersCapacity).whenComplete((ok, failure) -> onSubscribed(buffer, failure));
    }

    private CompletableFuture<Void> request(PublisherBuffer buffer, long publishersCapacity) {
        long capacity =
                buffer.isInbox() ? publishersCapacity : Math.max(settings.subscriberCapacity(), publishersCapacity);
        if (capacity > settings.maxCapacity()) {
            return CompletableFuture.failedFuture(new TransportException(
                    TransportException.Code.RESOURCES,
                    "publisher " + buffer.publisher() + " requires a buffer of " + capacity
                            + " bytes, which exceeds rbmq.client.max-capacity=" + settings.maxCapacity()));
        }
        // Flow control prevents the publisher from overwriting a message while its handler reads it.
        SubscribeOptions options = SubscribeOptions.DEFAULTS
                .withFlowControl(true)
                .withSlowPolicy(buffer.policy())
                .withStart(buffer.start());
        try {
            return in.subscribe(buffer.bufferId(), capacity, options);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void onSubscribed(PublisherBuffer buffer, Throwable failure) {
        if (!connection.isOpen()) {
            return; // the end of the connection ends all subscriptions
        }
        List<Subscription> waiting = List.copyOf(buffer.subscriptions());
        buffer.settle();
        int bufferId = buffer.bufferId();
        if (failure == null && buffer.requestsOlder() && buffers.get(bufferId) == buffer) {
            buffer.beginHistory(in.startPosition(bufferId), in.livePosition(bufferId));
        } else if (failure != null && buffer.losesNothing()) {
            if (buffer.start().isPosition()) {
                reports.gap(buffer, buffer.gap(Gap.UNKNOWN, Gap.Reason.PUBLISHER_LEFT));
            }
            forget(buffer);
        } else if (failure != null) {
            forget(buffer);
            if (!waiting.isEmpty()) {
                callback.onError(buffer.topic(), buffer.publisher(), failure);
            }
        }
        waiting.forEach(Subscription::settled);
    }

    /** Called when the broker reports that a publisher has left; data that it sent may still arrive. */
    void onRemoved(int bufferId, String why) {
        reached.remove(bufferId);
        PublisherBuffer buffer = buffers.get(bufferId);
        if (buffer != null) {
            buffer.onRemoved(why);
        }
        ended.onRemoved(bufferId, why.isEmpty() ? null : why);
    }

    /**
     * Removes a subscription from its buffers. Unsubscribes from those that have no other one, and reads those that
     * waited for this one, one buffer in each task, like {@link #resume}. The broker reports nothing more about the
     * publishers of buffers that have ended, so their ends are reported.
     */
    void giveUp(Subscription subscription) {
        List<PublisherBuffer> others = new ArrayList<>();
        for (PublisherBuffer buffer : List.copyOf(subscription.request().buffers())) {
            if (buffer.detach(subscription)) {
                giveUp(buffer);
            } else {
                others.add(buffer);
            }
        }
        readOn(others.iterator());
        ended.reportWithout(subscription);
    }

    /**
     * Reads what has waited for a subscription, until it takes no more. The buffers take turns, so that a fast
     * publisher does not keep the messages of the others waiting forever. Each task reads one buffer, so that the
     * worker serves other connections in between, and sends heartbeats.
     */
    void resume(Subscription subscription) {
        resume(subscription, subscription.request().behind().size());
    }

    private void resume(Subscription subscription, int count) {
        Set<PublisherBuffer> behind = subscription.request().behind();
        // The end of the connection has ended the buffers.
        if (count > 0 && !behind.isEmpty() && subscription.isTaking() && connection.isOpen()) {
            PublisherBuffer next = behind.iterator().next();
            behind.remove(next);
            behind.add(next);
            readOn(next);
            connection.execute(() -> resume(subscription, count - 1));
        }
    }

    private void readOn(Iterator<PublisherBuffer> waiting) {
        while (waiting.hasNext() && connection.isOpen()) {
            PublisherBuffer buffer = waiting.next();
            if (buffer.isBehind()) {
                readOn(buffer);
                connection.execute(() -> readOn(waiting));
                return;
            }
        }
    }

    // The end of the connection.

    /** Remembers how far all buffers have been read, because another connection will continue there. */
    void remember() {
        buffers.forEach(buffer -> {
            if (!buffer.isDeserted()) {
                remember(buffer);
            }
        });
        ended.moveTo(reached);
    }

    private void remember(PublisherBuffer buffer) {
        if (!buffer.isInbox() && !buffer.isOfGroup()) { // both end with the connection
            reached.put(buffer.bufferId(), placeIn(buffer, false));
        }
    }

    private Reached.Place placeIn(PublisherBuffer buffer, boolean isEnded) {
        long position = buffer.start().isPosition() ? buffer.start().code() : 0;
        long waitingLength = 0;
        if (buffer.isSettled()) {
            long read = in.bufferRef(buffer.bufferId()).position();
            position = in.startPosition(buffer.bufferId()) + read + buffer.lostLength();
            waitingLength = in.receivedPosition(buffer.bufferId()) - read;
            waitingLength += buffer.isBehind() ? buffer.unread().lostLength() : 0;
        }
        return new Reached.Place(
                buffer.topic(),
                buffer.publisher(),
                position,
                waitingLength,
                buffer.isRemoved(),
                isEnded,
                buffer.livePosition());
    }

    /**
     * Reports the messages that wait for paused subscriptions as lost, because the connection has ended for good.
     * Remembers the buffers that have ended without a report of their publishers' ends.
     */
    void abandon() {
        buffers.forEach(buffer -> {
            if (buffer.isBehind() && !buffer.isDeserted() && !buffer.isOfGroup()) {
                abandon(buffer);
            }
        });
        ended.moveTo(reached);
    }

    private void abandon(PublisherBuffer buffer) {
        long position = in.bufferRef(buffer.bufferId()).position();
        long received = in.receivedPosition(buffer.bufferId());
        for (long next = buffer.nextStop(); next <= received; next = buffer.nextStop()) {
            if (buffer.isAtEndOfHistory(next)) {
                reports.abandoned(buffer, next - position);
                buffer.endHistory();
            } else {
                Unread.Stop<Subscription> stop = buffer.unread().next();
                reports.abandoned(buffer, next - position + stop.lostLength());
                buffer.setRecipients();
            }
            position = next;
        }
        reports.abandoned(buffer, received - position);
        buffer.catchUp();
    }

    // Buffers.

    private void giveUp(PublisherBuffer buffer) {
        if (deferred.remove(buffer) == null) {
            forget(buffer);
            in.unsubscribe(buffer.bufferId());
        } else {
            remember(buffer); // for the subscriptions that were expected
            forget(buffer);
        }
    }

    private void forget(PublisherBuffer buffer) {
        if (buffers.get(buffer.bufferId()) == buffer) {
            buffers.remove(buffer.bufferId());
        }
        List.copyOf(buffer.subscriptions()).forEach(buffer::detach);
        buffer.catchUp();
        last = null;
    }

    private void onData(int bufferId, Segment transfer) {
        PublisherBuffer buffer = last;
        if (buffer == null || buffer.bufferId() != bufferId) {
            buffer = buffers.get(bufferId);
            last = buffer;
        }
        if (buffer.isBehind()) {
            readOn(buffer);
        } else {
            read(buffer, transfer, transfer.length(), true);
        }
    }

    /**
     * Reads the first {@code length} bytes of a segment.
     *
     * @param isWhole true when these bytes should consist of whole messages
     */
    private void read(PublisherBuffer buffer, Segment segment, long length, boolean isWhole) {
        FrameReader frames = buffer.frames();
        FrameReader.Ending ending = frames.read(segment, length);
        if (ending == FrameReader.Ending.COMPLETE) {
            in.dataConsumed(buffer.bufferId(), length);
        } else if (ending == FrameReader.Ending.STOPPED) {
            onStopped(buffer, length);
        } else if (isWhole || frames.index() == 0) {
            onMalformed(buffer, frames.describeMalformed());
        } else {
            in.dataConsumed(buffer.bufferId(), frames.index());
        }
    }

    private void onStopped(PublisherBuffer buffer, long length) {
        boolean drops = buffer.drops();
        if (!drops) {
            buffer.fallBehind();
        }
        in.dataConsumed(buffer.bufferId(), drops ? length : buffer.frames().index());
    }

    /**
     * Reads what waits in a buffer until a subscription is paused again. Does nothing for a buffer that is not behind.
     */
    private void readOn(PublisherBuffer buffer) {
        boolean isWaiting = false;
        while (!isWaiting && buffer.isBehind() && (buffer.frames().takes() || buffer.drops())) {
            Unread.End end = buffer.unread().end();
            Segment waiting = in.bufferRef(buffer.bufferId());
            long beforeStop = buffer.nextStop() - waiting.position();
            if (beforeStop <= 0) {
                passStop(buffer, waiting.position());
            } else if (waiting.length() > 0) {
                // A view of the longest possible length may end within a message, which the next view contains whole.
                isWaiting = !readOn(buffer, waiting, Math.min(waiting.length(), beforeStop), beforeStop);
            } else if (buffer.isInHistory()) {
                isWaiting = end == null;
                if (!isWaiting) {
                    buffer.endHistory(); // the buffer has ended before the end of its history
                }
            } else {
                buffer.catchUp();
                if (end != null) {
                    onEnd(buffer, end);
                }
            }
        }
    }

    private void passStop(PublisherBuffer buffer, long position) {
        if (buffer.isAtEndOfHistory(position)) {
            buffer.endHistory(); // before a gap there, which everyone has missed
        } else {
            Unread.Stop<Subscription> stop = buffer.unread().next();
            reports.gapAt(buffer, stop.position(), stop.lostLength());
            buffer.setRecipients();
        }
    }

    /** Reads, or leaves out, what waits before a stop; returns false when nothing can be done before more arrives. */
    private boolean readOn(PublisherBuffer buffer, Segment waiting, long length, long beforeStop) {
        if (!buffer.isInHistory() || !buffer.history().skips()) {
            read(buffer, waiting, length, false);
            return true;
        }
        long older = buffer.history().skip(waiting, length, length == beforeStop);
        in.dataConsumed(buffer.bufferId(), older);
        return older > 0 || !buffer.history().skips();
    }

    /** Unsubscribes from this buffer only: the publisher's other topics and other publishers are not affected. */
    private void onMalformed(PublisherBuffer buffer, String what) {
        buffer.subscriptions().forEach(subscription -> subscription.counts().malformed());
        connection.sendControlMessage(NoticeLayout.write(
                RbmqType.MALFORMED,
                buffer.subscriptions().get(0).number(),
                buffer.bufferId(),
                buffer.publisher(),
                what));
        remember(buffer);
        giveUp(buffer);
        callback.onError(
                buffer.topic(),
                buffer.publisher(),
                new TransportException(
                        TransportException.Code.PROTOCOL, "publisher " + buffer.publisher() + ": " + what));
    }

    private void onGap(int bufferId, long lost) {
        PublisherBuffer buffer = buffers.get(bufferId);
        long position = in.receivedPosition(bufferId);
        if (buffer.isInHistory()) {
            buffer.history().onGap(position, lost);
        }
        if (waitsNow(buffer)) {
            buffer.unread().addGap(position, lost);
            readOnInHistory(buffer);
        } else {
            reports.gapAt(buffer, position, lost);
        }
    }

    /** Reads what can be read, because nothing but data wakes a subscription that is not paused. */
    private void readOnInHistory(PublisherBuffer buffer) {
        if (buffer.isInHistory()) {
            readOn(buffer);
        }
    }

    /** Returns true when an event must wait, because messages wait or a subscription is paused. */
    private static boolean waitsNow(PublisherBuffer buffer) {
        if (buffer.isPaused()) {
            buffer.fallBehind();
        }
        return buffer.isBehind();
    }

    private void onBufferEnd(int bufferId, String failure) {
        // The end of the connection ends all buffers, but does not mean that a publisher has left.
        if (!connection.isOpen()) {
            return;
        }
        PublisherBuffer buffer = buffers.get(bufferId);
        Unread.End end = new Unread.End(failure);
        if (waitsNow(buffer)) {
            buffer.unread().endLater(end);
            readOnInHistory(buffer);
        } else {
            onEnd(buffer, end);
        }
    }

    private void onEnd(PublisherBuffer buffer, Unread.End end) {
        // The inbox is left out because a responder has only removed an idle buffer.
        boolean isReported = !buffer.isDeserted() && !buffer.isInbox();
        boolean isEarly = isReported && !buffer.isRemoved() && end.failure() == null;
        if (isEarly) {
            ended.add(buffer.bufferId(), placeIn(buffer, true), buffer.subscriptions());
        }
        giveUp(buffer);
        if (isReported && !isEarly) {
            callback.onPublisherEnd(buffer.topic(), buffer.publisher(), buffer.failure(end.failure()));
        }
    }
}
