package io.rocketbufs.rbmq.client;

import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.Segment;
import io.rocketbufs.options.Start;
import io.rocketbufs.rbmq.protocol.BufferTable;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rocketnet.TransportException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The buffers that a subscriber reads. Each publisher of each topic has one buffer, regardless of the number of
 * subscriptions that match the topic. A message therefore arrives once, and is handed to each of these subscriptions.
 *
 * <p><b>Thread-safety:</b> the connection's worker. <b>Ownership:</b> owns the RIn's buffers. This object unsubscribes
 * from a buffer when the buffer has ended, its last subscription has ended, or one of its frames is malformed.
 *
 * <p>The end of a buffer does not reveal whether its publisher has left: see {@link EndedBuffers}.
 */
final class PublisherBuffers implements BufferReader.Owner {
    private final RIn in;
    private final Connection connection;
    private final ClientSettings settings;
    private final SubscriberCallback callback;
    private final Reached reached;
    private final Continuation continuation;
    /** The buffers by the broker's id. */
    private final BufferTable<PublisherBuffer> buffers = new BufferTable<>();

    private final EndedBuffers ended;
    private final GapReports reports;
    private final BufferReader reader;

    /** The buffers whose subscription is deferred, with the capacities of their publishers' buffers. */
    private final Map<PublisherBuffer, Long> deferred = new LinkedHashMap<>();

    private PublisherBuffer last;

    /**
     * Creates an empty set.
     *
     * @param reached the places up to which earlier connections have read
     * @param continuation the subscriptions that continue from these places
     * @param missed logs the messages missed in between
     */
    PublisherBuffers(
            RIn in,
            ClientSettings settings,
            SubscriberCallback callback,
            Reached reached,
            Continuation continuation,
            MissedLog missed) {
        this.in = in;
        this.connection = in.connection();
        this.settings = settings;
        this.callback = callback;
        this.reached = reached;
        this.continuation = continuation;
        this.ended = new EndedBuffers(callback);
        this.reports = new GapReports(callback, missed);
        this.reader = new BufferReader(in, reports, this);
        in.setDataInCallback(this::onData);
        in.setGapCallback((bufferId, position, lost) -> reader.onGap(buffers.get(bufferId), lost));
        in.setBufferEndCallback(this::onBufferEnd);
    }

    /**
     * Adds a subscription to a buffer that the broker has added to a topic. Subscribes to the buffer unless that has
     * already been done for another subscription.
     */
    void add(Subscription subscription, String topic, BuffersLayout.Entry entry) {
        if (subscription.isLeft()) {
            return;
        }
        PublisherBuffer known = buffers.get(entry.bufferId());
        boolean needsOlder =
                known != null && known.isDeserted() && startOf(subscription).isOlder();
        if (needsOlder || known != null && known.policy() != subscription.policy()) {
            // The Subscriber has accepted another policy or start, so the previous subscriptions are closed.
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
            create(topic, entry, subscription, false);
        }
    }

    /**
     * Adds a subscription to the kept last message of a topic whose publisher has left. Subscriptions that start with
     * older messages read this message. It is also read by subscriptions that had not read the publisher's buffer to
     * its end when the connection was lost: for them, the kept copy continues that buffer.
     */
    void addKept(Subscription subscription, String topic, BuffersLayout.Entry entry) {
        if (subscription.isLeft() || subscription.request().isListed()) {
            return;
        }
        int bufferId = entry.bufferId();
        PublisherBuffer known = buffers.get(bufferId);
        boolean continues = continuation.includes(topic)
                && (known == null ? reached.has(bufferId) : known.start().isPosition());
        boolean wasReported = known == null ? reached.isRemoved(bufferId) : known.isDepartureReported();
        if (continues && !wasReported) {
            subscription.request().onDeparture(); // counted by the broker, but reported only here
        }
        if (known != null && continues) {
            known.checkNew(subscription, topic);
            known.attach(subscription, known.isBehind() ? in.receivedPosition(bufferId) : 0);
        } else if (continues || startOf(subscription).isOlder()) {
            if (known != null) {
                giveUp(known); // its subscriptions are closed; otherwise, the start would have been refused
            }
            create(topic, entry, subscription, true);
        }
    }

    /**
     * Returns the start for a buffer that the broker adds now. A buffer that appears later is read from its beginning.
     */
    private static SubscriptionStart startOf(Subscription subscription) {
        return subscription.request().isListed() ? SubscriptionStart.LIVE : subscription.start();
    }

    /** Returns the buffer with the broker's id; null if there is none. */
    PublisherBuffer get(int bufferId) {
        return buffers.get(bufferId);
    }

    private void create(String topic, BuffersLayout.Entry entry, Subscription subscription, boolean isKept) {
        int publisher = entry.publisher();
        boolean continues = subscription.group() == null
                && continuation.includes(topic)
                && (!isKept || reached.has(entry.bufferId()));
        Reached.Place place = reached.take(entry.bufferId());
        PublisherBuffer buffer = new PublisherBuffer(
                topic,
                entry.bufferId(),
                publisher,
                subscription.policy(),
                // A buffer that appeared while the connection was lost is read from its beginning, position 0.
                continues ? Start.at(place.position()) : startOf(subscription).place(),
                continues ? place.livePosition() : 0,
                (to, failure) -> reports.handlerFailure(to, topic, publisher, failure));
        if (isKept) {
            buffer.setKept(place.isRemoved());
        }
        buffers.put(entry.bufferId(), buffer);
        buffer.attach(subscription, 0);
        if (subscription.group() == null && continuation.includesOthers(topic, subscription)) {
            deferred.put(buffer, entry.capacity());
        } else {
            subscribe(buffer, entry.capacity());
        }
    }

    /**
     * Subscribes to the buffers that were deferred because further subscriptions were expected. Subscribing earlier
     * would make these subscriptions miss the messages that arrive in between.
     */
    void subscribeToDeferred() {
        while (!deferred.isEmpty()) { // a callback can remove other entries
            PublisherBuffer next = deferred.keySet().iterator().next();
            subscribe(next, deferred.remove(next));
        }
    }

    private void subscribe(PublisherBuffer buffer, long publishersCapacity) {
        request(buffer, publishersCapacity).whenComplete((ok, failure) -> onSubscribed(buffer, failure));
    }

    private CompletableFuture<Void> request(PublisherBuffer buffer, long publishersCapacity) {
        long capacity = buffer.capacityFor(publishersCapacity, settings.subscriberCapacity());
        if (capacity > settings.maxCapacity()) {
            return CompletableFuture.failedFuture(new TransportException(
                    TransportException.Code.RESOURCES,
                    "publisher " + buffer.publisher() + " requires a buffer of " + capacity
                            + " bytes, which exceeds rbmq.client.max-capacity=" + settings.maxCapacity()));
        }
        try {
            return in.subscribe(buffer.bufferId(), capacity, buffer.options());
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

    /** Called when the broker reports that a publisher has left. Data sent by the publisher may still arrive. */
    void onRemoved(int bufferId, String why) {
        reached.remove(bufferId);
        PublisherBuffer buffer = buffers.get(bufferId);
        if (buffer != null) {
            buffer.onRemoved(why);
        }
        ended.onRemoved(bufferId, why.isEmpty() ? null : why);
    }

    /**
     * Removes a subscription from its buffers. Unsubscribes from buffers without another subscription. Reads the
     * buffers that waited for this subscription, each in a separate task. For buffers that have already ended, reports
     * their publishers' departures, because the broker will not report them.
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
        reader.readOn(others.iterator());
        ended.reportWithout(subscription);
    }

    /** Reads the messages that wait for a subscription. */
    void resume(Subscription subscription) {
        reader.resume(subscription);
    }

    // The end of the connection.

    /** Records how far all buffers have been read, because another connection will continue from there. */
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
            reached.put(buffer.bufferId(), buffer.place(in, false));
        }
    }

    /**
     * Reports the messages that wait for paused subscriptions as lost, because the connection has ended permanently.
     * Records the buffers that have ended while their publishers' departures are unreported.
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
            remember(buffer); // for the expected subscriptions
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
        reader.onData(buffer, transfer);
    }

    /** Unsubscribes from this buffer only. The publisher's other topics and other publishers are not affected. */
    @Override
    public void onMalformed(PublisherBuffer buffer, String what) {
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

    private void onBufferEnd(int bufferId, String failure) {
        // The end of the connection ends all buffers, but does not mean that their publishers have left.
        if (!connection.isOpen()) {
            return;
        }
        reader.onBufferEnd(buffers.get(bufferId), new Unread.End(failure));
    }

    @Override
    public void onEnd(PublisherBuffer buffer, Unread.End end) {
        boolean isReported = buffer.reportsEnd();
        boolean isEarly = isReported && !buffer.isRemoved() && end.failure() == null;
        if (isEarly) {
            ended.add(buffer.bufferId(), buffer.place(in, true), buffer.subscriptions());
        }
        giveUp(buffer);
        if (isReported && !isEarly) {
            callback.onPublisherEnd(buffer.topic(), buffer.publisher(), buffer.failure(end.failure()));
        }
    }
}
