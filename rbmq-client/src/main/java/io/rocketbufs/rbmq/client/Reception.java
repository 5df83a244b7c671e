package io.rocketbufs.rbmq.client;

import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import io.rocketbufs.rbmq.protocol.DeparturesLayout;
import io.rocketbufs.rbmq.protocol.Features;
import io.rocketbufs.rbmq.protocol.GroupLayout;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.SlowLayout;
import io.rocketbufs.rbmq.protocol.TopicBuffersLayout;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;

/**
 * One connection of a subscriber, including the buffers that it reads and the broker's messages about them. A
 * subscriber that reconnects uses several receptions in succession.
 *
 * <p>On a connection to the same broker, live subscriptions continue. Each of their existing buffers resumes where it
 * stopped, and each new buffer is read from its beginning, so the broker itself reports missing messages. If the broker
 * no longer lists a buffer, its publisher has left. On a connection to another broker, nothing is known about missed
 * messages.
 *
 * <p><b>Thread-safety:</b> the connection's worker, unless a method states otherwise. <b>Ownership:</b> owns the
 * connection and its buffers.
 */
final class Reception extends BrokerLink {
    /** Number of subscriptions requested per batch after a reconnect. */
    private static final int BATCH = 256;

    private final ClientSettings settings;
    private final SubscriberCallback callback;
    private final SubscriptionList subscriptions;
    private final Reached reached;
    private final CausedDelays delays;
    private RIn in;
    private PublisherBuffers buffers;
    private MissedLog missed;
    private final Continuation continuation = new Continuation();
    /**
     * The subscriptions that must still be requested again, followed by new ones; null when new subscriptions are
     * requested directly. Guarded by this object's lock.
     */
    private Queue<Subscription> unrequested;

    /**
     * Creates a connection that must be {@linkplain #open opened}.
     *
     * @param reached the places up to which earlier connections have read
     */
    Reception(
            ClientSettings settings,
            SubscriberCallback callback,
            SubscriptionList subscriptions,
            Reached reached,
            CausedDelays delays) {
        this.settings = settings;
        this.callback = callback;
        this.subscriptions = subscriptions;
        this.reached = reached;
        this.delays = delays;
    }

    @Override
    void attach(Connection established) {
        super.attach(established);
        in = new RIn(established);
        missed = new MissedLog(established);
        buffers = new PublisherBuffers(in, settings, callback, reached, continuation, missed);
    }

    // Subscriptions.

    /**
     * Requests a subscription from the broker, after all earlier subscriptions. If the request fails, the subscription
     * fails. May be called on any thread.
     */
    void request(Subscription subscription) {
        synchronized (this) {
            if (unrequested != null) {
                unrequested.add(subscription);
                return;
            }
        }
        send(subscription);
    }

    /** Returns false if the subscription has failed. A lost connection is reported to its owner instead. */
    private boolean send(Subscription subscription) {
        if (subscription.topicFilter().isInbox()
                && !subscription.filter().equals(welcome().inbox())) {
            subscriptions.remove(subscription);
            subscription.fail(inboxLost());
            return false;
        }
        String unsupported = describeUnsupported(subscription);
        if (unsupported != null) {
            refuse(subscription, unsupported);
            return false;
        }
        try {
            connection().sendControlMessage(message(subscription));
        } catch (TransportException e) {
            if (connection().isOpen()) {
                subscriptions.remove(subscription);
                subscription.fail(e);
                return false;
            }
        }
        return true;
    }

    private static ByteBuffer message(Subscription subscription) {
        return subscription.group() == null
                ? TopicLayout.write(subscription.number(), subscription.policy(), subscription.filter())
                : GroupLayout.write(subscription.number(), subscription.group(), subscription.filter());
    }

    /** Returns the failure of a subscription to the inbox of an earlier connection. */
    static TransportException inboxLost() {
        return new TransportException(
                TransportException.Code.PEER_LOST, "the connection to the broker was lost, and the inbox with it");
    }

    /** Returns the reason why the broker does not support a new subscription; null if it does. */
    private String describeUnsupported(Subscription subscription) {
        if (subscription.group() != null && !Features.include(welcome().features(), Features.GROUPS)) {
            return "it does not support groups; upgrade the broker";
        }
        if (Features.include(welcome().features(), Features.FILTERS)) {
            return null;
        }
        if (subscription.topicFilter().isWildcard()) {
            return "it does not support filters; upgrade the broker, or subscribe to each topic";
        }
        return subscriptions.hasEarlier(subscription)
                ? "it does not support several subscriptions to a topic; upgrade the broker, or use another Subscriber"
                : null;
    }

    /** Ends a subscription that the application has closed. */
    void end(Subscription subscription) {
        if (subscription.request().requestEnd()) {
            requestEnd(subscription);
        }
    }

    /**
     * Asks the broker to end a subscription. If that fails, the connection ends; otherwise, the broker would continue a
     * subscription that this side has given up.
     */
    private void requestEnd(Subscription subscription) {
        try {
            connection()
                    .sendControlMessage(
                            NoticeLayout.ofSubscription(RbmqType.TOPIC_UNSUBSCRIBE, subscription.number(), ""));
        } catch (TransportException e) {
            if (connection().isOpen()) { // otherwise, this subscription has ended or is not requested again
                throw e.withMessage(
                        "cannot end the subscription to \"" + subscription.filter() + "\": " + e.getMessage());
            }
        }
    }

    /** Reads the messages that wait for a subscription that was paused. */
    void readOn(Subscription subscription) {
        buffers.resume(subscription);
    }

    // The continuation of earlier connections.

    /**
     * Announces that {@link #resume} will request these subscriptions, and that new subscriptions must wait until then.
     * May be called on any thread.
     */
    synchronized void expectToResume(Collection<Subscription> all) {
        unrequested = new ArrayDeque<>(all);
    }

    /** Requests the subscriptions of earlier connections, and reports gaps whose extent cannot be known. */
    void resume(Collection<Subscription> all) {
        long broker = welcome().brokerId();
        SubscriptionIndex elsewhere = new SubscriptionIndex();
        for (Subscription subscription : all) {
            boolean isLive = subscription.requestAgain(broker);
            boolean isContinued = subscription.request().isContinued();
            if (isLive && isContinued && subscription.group() == null) {
                continuation.add(subscription);
            } else if (isLive && !isContinued) {
                elsewhere.add(subscription);
            }
        }
        reportOtherBroker(elsewhere);
        if (!reached.isOf(broker)) {
            List<Reached.Place> ended = reached.ended();
            reached.begin(broker);
            reportEnds(ended);
        }
        requestSome();
    }

    /** Requests a batch of subscriptions, and the next batch once this one has been sent, because there may be many. */
    private void requestSome() {
        Subscription subscription = nextUnrequested();
        for (int i = 1; subscription != null; i++) {
            if (subscription.isLeft()) {
                subscriptions.remove(subscription);
                subscription.end();
                onAllKnown(subscription);
            } else if (!send(subscription)) {
                onAllKnown(subscription);
            }
            if (i == BATCH) {
                connection().executeAfterControlMessages(this::requestSome);
                return;
            }
            subscription = nextUnrequested();
        }
        forgetIfAllKnown();
    }

    /** Returns null once all subscriptions have been requested. New subscriptions are then requested directly. */
    private synchronized Subscription nextUnrequested() {
        Subscription next = unrequested.poll();
        if (next == null) {
            unrequested = null;
        }
        return next;
    }

    private void reportOtherBroker(SubscriptionIndex live) {
        Set<String> names = new TreeSet<>(live.filters());
        names.addAll(reached.topics());
        names.forEach(name -> report(live, new Gap(name, 0, Gap.UNKNOWN, Gap.Reason.OTHER_BROKER)));
    }

    /** Reports a gap in a topic, or in all topics that match a filter, to its subscriptions and to the callback. */
    private void report(SubscriptionIndex live, Gap gap) {
        List<Subscription> missing =
                live.of(gap.topic()).stream().filter(each -> !each.isLeft()).toList();
        if (!missing.isEmpty()) {
            missed.add(gap);
            missing.forEach(each -> each.miss(gap));
            callback.onGap(gap);
        }
    }

    /** Called when all buffers of a subscription are known, or it has ended. */
    private void onAllKnown(Subscription subscription) {
        if (continuation.onAllKnown(subscription)) {
            forgetIfAllKnown();
        }
    }

    /**
     * Once all buffers are known, subscribes to the deferred buffers and reports the topics whose publishers have left.
     * These are the topics with a buffer that the broker has not listed again, or has never listed.
     */
    private void forgetIfAllKnown() {
        if (continuation.isOver()) {
            buffers.subscribeToDeferred();
            List<Reached.Place> ended = reached.ended();
            reached.takeDeparted()
                    .forEach(name -> report(
                            continuation.subscriptions(), new Gap(name, 0, Gap.UNKNOWN, Gap.Reason.PUBLISHER_LEFT)));
            subscriptions.all().forEach(each -> each.request().onAbsentForgotten());
            reportEnds(ended);
        }
    }

    private void reportEnds(List<Reached.Place> ended) {
        ended.forEach(place -> place.reportEnd(callback, null));
    }

    // Messages from the broker.

    /** Handles a message after WELCOME. */
    void onMessage(RbmqType type, ByteBuffer message) {
        if (type == RbmqType.SLOW) {
            delays.report(buffers.get(SlowLayout.bufferId(message)), message);
            return;
        }
        Subscription subscription = subscription(NoticeLayout.subscription(message));
        switch (type) {
            case BUFFERS_ADDED -> {
                checkNaming(subscription, false);
                for (int i = 0; i < BuffersLayout.count(message); i++) {
                    buffers.add(subscription, subscription.filter(), BuffersLayout.entry(message, i));
                }
            }
            case TOPIC_BUFFERS -> {
                String topic = TopicBuffersLayout.topic(message);
                checkNaming(subscription, true);
                checkTopic(subscription, topic);
                for (int i = 0; i < TopicBuffersLayout.count(message); i++) {
                    buffers.add(subscription, topic, TopicBuffersLayout.entry(message, i));
                }
            }
            case KEPT -> {
                String topic = TopicBuffersLayout.topic(message);
                checkTopic(subscription, topic);
                for (int i = 0; i < TopicBuffersLayout.count(message); i++) {
                    buffers.addKept(subscription, topic, TopicBuffersLayout.entry(message, i));
                }
            }
            case BUFFER_REMOVED -> {
                subscription.request().onDeparture();
                buffers.onRemoved(NoticeLayout.bufferId(message), NoticeLayout.text(message));
            }
            case DEPARTURES -> onDepartures(subscription, DeparturesLayout.count(message));
            case TOPIC_LISTED -> onListed(subscription);
            case TOPIC_UNSUBSCRIBED -> onUnsubscribed(subscription);
            case TOPIC_REFUSED -> {
                if (subscription.request().isListed()) {
                    onTopicRefused(subscription, NoticeLayout.text(message));
                } else {
                    buffers.giveUp(subscription);
                    refuse(subscription, NoticeLayout.text(message));
                    onAllKnown(subscription);
                }
            }
            default -> throw RbmqLayout.violation("the broker sent " + type + " to a subscriber");
        }
    }

    private Subscription subscription(int number) {
        Subscription subscription = subscriptions.get(number);
        if (subscription == null) {
            throw RbmqLayout.violation("the broker sent a message about unknown subscription " + number);
        }
        return subscription;
    }

    /**
     * Checks that the broker has named the topic of the publishers' buffers if and only if the filter has wildcards.
     */
    private static void checkNaming(Subscription subscription, boolean isNamed) {
        if (subscription.topicFilter().isWildcard() != isNamed) {
            throw RbmqLayout.violation((isNamed ? "a named topic" : "an unnamed topic") + " was added to subscription "
                    + subscription.number() + " to \"" + subscription.filter() + "\"");
        }
    }

    /** Checks that a subscription includes the topic for which the broker has sent buffers. */
    private static void checkTopic(Subscription subscription, String topic) {
        if (!subscription.topicFilter().matches(topic)) {
            throw RbmqLayout.violation("topic \"" + topic + "\" was added to subscription " + subscription.number()
                    + " to \"" + subscription.filter() + "\"");
        }
    }

    private void onDepartures(Subscription subscription, long count) {
        if (subscription.request().onDepartures(count, reached.count(subscription.topicFilter()))) {
            reached.depart(subscription.filter());
        }
    }

    private void onListed(Subscription subscription) {
        if (subscription.request().isListed()) {
            throw RbmqLayout.violation("subscription " + subscription.number() + " was listed twice");
        }
        if (subscription.onListed()) {
            requestEnd(subscription);
        }
        onAllKnown(subscription);
    }

    private void onUnsubscribed(Subscription subscription) {
        if (!subscription.isLeft()) {
            throw RbmqLayout.violation("subscription " + subscription.number() + " was ended without a request");
        }
        buffers.giveUp(subscription);
        subscriptions.remove(subscription);
        subscription.end();
    }

    /** Ends a subscription that the broker has refused or would refuse. May be called on any thread. */
    private void refuse(Subscription subscription, String reason) {
        TransportException refusal = new TransportException(
                TransportException.Code.REFUSED,
                "the broker refused the subscription to \"" + subscription.filter() + "\": " + reason);
        boolean wasLive = subscription.ready().isDone() && !subscription.isLeft();
        subscriptions.remove(subscription);
        subscription.fail(refusal);
        if (wasLive) {
            // The application has already seen the future that reports refusals complete.
            callback.onError(subscription.filter(), 0, refusal);
        }
    }

    /** Called when a topic that appeared later is omitted from a subscription. The subscription continues. */
    private void onTopicRefused(Subscription subscription, String reason) {
        if (!subscription.isLeft()) {
            callback.onError(
                    subscription.filter(),
                    0,
                    new TransportException(
                            TransportException.Code.REFUSED,
                            "a topic is left out of the subscription to \"" + subscription.filter() + "\": " + reason));
        }
    }

    // The end.

    /** Records how far all buffers have been read, because another connection will continue from there. */
    void remember() {
        buffers.remember();
    }

    /**
     * Reports the messages that wait for paused subscriptions as lost, because no other connection will follow. Records
     * the buffers that have ended while their publishers' departures are unreported.
     */
    void abandon() {
        buffers.abandon();
    }

    /** Frees the buffers of a connection that has ended. */
    void free() {
        missed.write();
        in.close();
    }
}
