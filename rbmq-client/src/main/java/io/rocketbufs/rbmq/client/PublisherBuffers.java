package io.rocketbufs.rbmq.client;

import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.Segment;
import io.rocketbufs.options.Start;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rbmq.protocol.BufferTable;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rocketnet.TransportException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * The buffers that a subscriber reads: one for each publisher of each topic, however many subscriptions match the
 * topic. A message therefore arrives once, and is handed to each of these subscriptions.
 *
 * <p><b>Thread-safety:</b> the connection's worker. <b>Ownership:</b> owns the RIn's buffers. A buffer is unsubscribed
 * from when it has ended, its last subscription has ended, or one of its frames is malformed.
 *
 * <p>The end of a buffer does not show whether its publisher has left, because a broker that closes the connection ends
 * all buffers. If the broker has not reported that the publisher has left, the place that was reached is kept until it
 * does, or until the connection ends and another one continues there.
 */
final class PublisherBuffers {
    private final RIn in;
    private final Connection connection;
    private final ClientSettings settings;
    private final SubscriberCallback callback;
    private final Reached reached;
    private final Predicate<String> isContinued;
    /** The buffers, by the broker's id. */
    private final BufferTable<PublisherBuffer> buffers = new BufferTable<>();

    /** The buffers that have ended although their publishers are not known to have left, by the broker's id. */
    private final Map<Integer, Ended> ended = new HashMap<>();

    private PublisherBuffer last;

    /**
     * A buffer that has ended although its publisher is not known to have left.
     *
     * @param subscriptions those for which the broker may still report that the publisher has left
     */
    private record Ended(Reached.Place place, Set<Subscription> subscriptions) {}

    /**
     * Creates an empty set.
     *
     * @param reached the places that were reached on former connections
     * @param isContinued returns true for a topic whose new buffers continue at these places
     */
    PublisherBuffers(
            RIn in,
            ClientSettings settings,
            SubscriberCallback callback,
            Reached reached,
            Predicate<String> isContinued) {
        this.in = in;
        this.connection = in.connection();
        this.settings = settings;
        this.callback = callback;
        this.reached = reached;
        this.isContinued = isContinued;
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
        if (known != null && known.policy() != subscription.policy()) {
            // The Subscriber has accepted another policy because the subscriptions with this one are closed.
            giveUp(known);
            known = null;
        }
        if (known != null) {
            checkNew(known, subscription, topic);
            known.attach(subscription, known.isBehind() ? in.receivedPosition(known.bufferId()) : 0);
        } else {
            create(topic, entry, subscription);
        }
    }

    /** Returns the buffer with the broker's id; null if there is none. */
    PublisherBuffer get(int bufferId) {
        return buffers.get(bufferId);
    }

    private void create(String topic, BuffersLayout.Entry entry, Subscription subscription) {
        int publisher = entry.publisher();
        long position = reached.take(entry.bufferId());
        PublisherBuffer buffer = new PublisherBuffer(
                topic,
                entry.bufferId(),
                publisher,
                subscription.policy(),
                // A buffer that appeared while the connection was lost is missing from its beginning.
                isContinued.test(topic) ? Start.at(position) : Start.LIVE,
                (to, failure) -> onHandlerFailure(to, topic, publisher, failure));
        buffers.put(entry.bufferId(), buffer);
        buffer.attach(subscription, 0);
        subscribe(buffer, entry.capacity()).whenComplete((ok, failure) -> onSubscribed(buffer, failure));
    }

    private static void checkNew(PublisherBuffer known, Subscription subscription, String topic) {
        if (!known.topic().equals(topic) || known.subscriptions().contains(subscription)) {
            throw RbmqLayout.violation("the broker added buffer " + known.bufferId() + " of topic \"" + known.topic()
                    + "\" to topic \"" + topic + "\" for subscription " + subscription.number());
        }
    }

    private CompletableFuture<Void> subscribe(PublisherBuffer buffer, long publishersCapacity) {
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
        if (failure != null) {
            if (!buffer.losesNothing()) {
                forget(buffer);
                if (!waiting.isEmpty()) {
                    callback.onError(buffer.topic(), buffer.publisher(), failure);
                }
            } else {
                if (buffer.start().isPosition()) {
                    report(buffer, buffer.gap(Gap.UNKNOWN, Gap.Reason.PUBLISHER_LEFT));
                }
                forget(buffer);
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
        Ended early = ended.remove(bufferId);
        if (early != null) {
            early.place().reportEnd(callback, why.isEmpty() ? null : why);
        }
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
        reportEndsWithout(subscription);
    }

    private void reportEndsWithout(Subscription subscription) {
        ended.values().forEach(each -> each.subscriptions().remove(subscription));
        List<Ended> unawaited = ended.values().stream()
                .filter(each -> each.subscriptions().isEmpty())
                .toList();
        ended.values().removeAll(unawaited);
        unawaited.forEach(each -> each.place().reportEnd(callback, null));
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
        rememberEnded();
    }

    private void rememberEnded() {
        ended.forEach((bufferId, each) -> reached.put(bufferId, each.place()));
        ended.clear();
    }

    private void remember(PublisherBuffer buffer) {
        if (!buffer.isInbox()) { // the inbox ends with the connection
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
                buffer.topic(), buffer.publisher(), position, waitingLength, buffer.isRemoved(), isEnded);
    }

    /**
     * Reports the messages that wait for paused subscriptions as lost, because the connection has ended for good.
     * Remembers the buffers that have ended without a report of their publishers' ends.
     */
    void abandon() {
        buffers.forEach(buffer -> {
            if (buffer.isBehind() && !buffer.isDeserted()) {
                abandon(buffer);
            }
        });
        rememberEnded();
    }

    private void abandon(PublisherBuffer buffer) {
        Unread<Subscription> unread = buffer.unread();
        long position = in.bufferRef(buffer.bufferId()).position();
        while (unread.nextPosition() < Long.MAX_VALUE) {
            Unread.Stop<Subscription> stop = unread.next();
            reportAbandoned(buffer, stop.position() - position + stop.lostLength());
            buffer.setRecipients();
            position = stop.position();
        }
        reportAbandoned(buffer, in.receivedPosition(buffer.bufferId()) - position);
        buffer.catchUp();
    }

    private void reportAbandoned(PublisherBuffer buffer, long length) {
        if (length > 0) {
            report(buffer, buffer.gap(length, Gap.Reason.DISCONNECTED));
        }
    }

    // Buffers.

    private void giveUp(PublisherBuffer buffer) {
        forget(buffer);
        in.unsubscribe(buffer.bufferId());
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
        boolean isDeserted = buffer.isDeserted();
        if (!isDeserted) {
            buffer.fallBehind();
        }
        in.dataConsumed(buffer.bufferId(), isDeserted ? length : buffer.frames().index());
    }

    /**
     * Reads what waits in a buffer until a subscription is paused again. Does nothing for a buffer that is not behind.
     */
    private void readOn(PublisherBuffer buffer) {
        while (buffer.isBehind() && (buffer.frames().takes() || buffer.isDeserted())) {
            Unread<Subscription> unread = buffer.unread();
            Segment waiting = in.bufferRef(buffer.bufferId());
            long beforeStop = unread.nextPosition() - waiting.position();
            if (beforeStop == 0) {
                Unread.Stop<Subscription> stop = unread.next();
                reportGap(buffer, stop.position(), stop.lostLength());
                buffer.setRecipients();
            } else if (waiting.length() > 0) {
                // A view of the longest possible length may end within a message, which the next view contains whole.
                read(buffer, waiting, Math.min(waiting.length(), beforeStop), false);
            } else {
                buffer.catchUp();
                if (unread.end() != null) {
                    onEnd(buffer, unread.end());
                }
            }
        }
    }

    private void onHandlerFailure(Subscription subscription, String topic, int publisher, Throwable failure) {
        subscription.counts().failed();
        callback.onError(topic, publisher, failure);
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
        if (waitsNow(buffer)) {
            buffer.unread().addGap(position, lost);
        } else {
            reportGap(buffer, position, lost);
        }
    }

    /** Returns true when an event must wait, because messages wait or a subscription is paused. */
    private static boolean waitsNow(PublisherBuffer buffer) {
        if (buffer.isPaused()) {
            buffer.fallBehind();
        }
        return buffer.isBehind();
    }

    /** Reports a gap at a position in what has arrived, unless its length is 0. */
    private void reportGap(PublisherBuffer buffer, long position, long lost) {
        if (lost > 0) {
            report(buffer, buffer.gapAt(position, lost));
        }
    }

    /** Reports a gap to the subscriptions that receive the next message. */
    private void report(PublisherBuffer buffer, Gap gap) {
        if (gap.isKnown()) {
            buffer.lost(gap.lostLength());
        }
        boolean isReported = false;
        for (Subscription subscription : buffer.receiving()) {
            // One that was not live before the connection was lost has missed only what is skipped later.
            if (gap.isOfThisConnection() || subscription.request().isContinued()) {
                isReported |= !subscription.isLeft();
                subscription.miss(gap);
            }
        }
        if (isReported) {
            callback.onGap(gap);
        }
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
        } else {
            onEnd(buffer, end);
        }
    }

    private void onEnd(PublisherBuffer buffer, Unread.End end) {
        // The inbox is left out because a responder has only removed an idle buffer.
        boolean isReported = !buffer.isDeserted() && !buffer.isInbox();
        boolean isEarly = isReported && !buffer.isRemoved() && end.failure() == null;
        if (isEarly) {
            ended.put(buffer.bufferId(), new Ended(placeIn(buffer, true), new HashSet<>(buffer.subscriptions())));
        }
        giveUp(buffer);
        if (isReported && !isEarly) {
            callback.onPublisherEnd(buffer.topic(), buffer.publisher(), buffer.failure(end.failure()));
        }
    }
}
