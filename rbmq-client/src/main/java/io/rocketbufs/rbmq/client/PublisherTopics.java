package io.rocketbufs.rbmq.client;

import io.rocketbufs.Connection;
import io.rocketbufs.ROut;
import io.rocketbufs.rbmq.protocol.Features;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.InterestLayout;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.SlowLayout;
import io.rocketbufs.rbmq.protocol.TopicName;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

/**
 * The topics of a publisher and their buffers, over successive connections. The inboxes to which it replies are topics,
 * too, but are removed when they have ended.
 *
 * <p>If unconfirmed messages are kept, a topic has the same buffer on every connection, and a new connection continues
 * sending from it. Otherwise, the buffer ends with its connection, and the topic receives a new buffer.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns the ROut, which is closed once the publisher has ended
 * and no caller is writing into a buffer.
 */
final class PublisherTopics {
    /** Number of topics announced per batch after a reconnect. */
    private static final int BATCH = 256;

    private static final String UNSUPPORTED =
            "it does not support TopicOptions.withKeepLast; upgrade the broker, or publish without this option";

    private final ROut out;
    private final ClientSettings settings;
    /** Null if the application has no callback. */
    private final PublisherCallback callback;

    private final Executor worker;
    private final BooleanSupplier hasEnded;
    private final Map<String, TopicPublisher> topics = new ConcurrentHashMap<>();
    private final TopicOutputs outputs = new TopicOutputs();
    private final SufferedDelays delays;

    // Guarded by this object's lock.
    /** The connection over which topics are announced. */
    private Connection connection;

    private boolean supportsKept;
    private boolean released;

    /**
     * Creates an empty set without a connection.
     *
     * @param callback the application's callback; null if there is none
     * @param worker runs the callbacks
     * @param hasEnded returns true if the connection will not be replaced
     */
    PublisherTopics(
            ROut out, ClientSettings settings, PublisherCallback callback, Executor worker, BooleanSupplier hasEnded) {
        this.out = out;
        this.settings = settings;
        this.callback = callback;
        this.worker = worker;
        this.hasEnded = hasEnded;
        this.delays = new SufferedDelays(callback);
        out.setSpaceCallback(this::onSpace);
    }

    private void onSpace(int bufferId) {
        TopicOutput output = outputs.get(bufferId);
        if (output != null) {
            output.onSpace();
        }
    }

    /** Returns the topic with the given name; null if it has not been announced. */
    TopicPublisher get(String topic) {
        return topics.get(topic);
    }

    /** Returns all topics that have been announced, in no particular order, excluding inboxes. */
    Collection<TopicPublisher> all() {
        return topics.values();
    }

    /**
     * Announces a topic, unless it has already been announced.
     *
     * @throws IllegalStateException when the topic has been announced with other options
     * @throws IllegalArgumentException when the name is invalid
     * @throws TransportException with code RESOURCES when too many control messages are queued
     */
    synchronized TopicPublisher announce(String topic, TopicOptions options) {
        TopicPublisher known = topics.get(topic);
        if (known != null) {
            if (!known.options().equals(options)) {
                throw new IllegalStateException("topic \"" + topic + "\" was announced with " + known.options()
                        + ", not with " + options + "; use another Publisher");
            }
            return known;
        }
        TopicName.encode(topic);
        TopicPublisher made = new TopicPublisher(open(topic, options, TopicListener.NONE), options);
        // Last, because other threads can publish as soon as the topic is in the map.
        topics.put(topic, made);
        if (hasEnded.getAsBoolean()) {
            made.output().end(PublishResult.NOT_CONNECTED);
        }
        return made;
    }

    /** Creates and announces the output of a topic, with the space signal that the application requires. */
    private TopicOutput open(String topic, TopicOptions options, TopicListener listener) {
        SpaceSignal space = new SpaceSignal(
                callback == null ? null : new BackPressure(worker, on -> callback.onBackPressure(topic, on)));
        return open(topic, settings.withTopicOptions(options), space, listener, this::onRemoved);
    }

    /**
     * Announces a requester's inbox. Its buffer has the capacity configured for replies and always uses flow control.
     * When the returned publisher is closed, the inbox is removed and can be announced again.
     *
     * @param onBackPressure like {@link PublisherCallback#onBackPressure}
     * @return the handle; null when the connection is lost
     * @throws TransportException with code RESOURCES when too many control messages are queued
     */
    synchronized TopicPublisher announceInbox(
            String inbox, BackPressure.Listener onBackPressure, TopicListener listener) {
        if (!connection.isOpen()) {
            return null;
        }
        long capacity = settings.replies().capacity();
        ClientSettings its = settings.withCapacities(capacity, capacity)
                .withFlowControl(true)
                .withWhenUnheard(WhenUnheard.SEND);
        SpaceSignal space = new SpaceSignal(new BackPressure(worker, onBackPressure));
        TopicOutput output = open(inbox, its, space, listener, this::forget);
        if (hasEnded.getAsBoolean()) {
            output.end(PublishResult.NOT_CONNECTED);
        }
        return new TopicPublisher(output, TopicOptions.DEFAULTS);
    }

    /**
     * Creates a buffer and announces its topic.
     *
     * @param onRemoved called without locks when the topic has ended and its buffer has been removed
     */
    private TopicOutput open(
            String topic, ClientSettings its, SpaceSignal space, TopicListener listener, IntConsumer onRemoved) {
        int bufferId = outputs.nextId();
        TopicOutput output =
                new TopicOutput(topic, bufferId, out, connection, its, space, () -> onRemoved.accept(bufferId));
        output.listen(listener);
        outputs.put(bufferId, output);
        if (its.keepsLast() && !supportsKept) {
            onRefused(output, UNSUPPORTED);
        } else if (!released) {
            try {
                output.announce();
            } catch (RuntimeException | Error e) {
                outputs.remove(bufferId);
                throw e;
            }
        }
        return output;
    }

    /** Sets the library's internal listener for a topic's events. */
    synchronized void listen(TopicPublisher topic, TopicListener listener) {
        topic.output().listen(listener);
    }

    // Connections.

    /**
     * Starts to use a connection: announces all topics over it. Called on the worker if there are topics.
     *
     * @param features the broker's feature bits
     */
    void connect(Connection next, long features) {
        out.addConnection(next);
        List<Runnable> announcements;
        synchronized (this) {
            connection = next;
            supportsKept = Features.include(features, Features.KEPT);
            announcements = Stream.<Runnable>concat(
                            outputs.all().stream().filter(TopicOutput::keeps).map(output -> () -> resume(output, next)),
                            topics.values().stream().map(topic -> () -> replaceIfLost(topic, next)))
                    .toList();
        }
        announceSome(next, announcements.iterator());
    }

    /**
     * Makes a batch of announcements, and the next batch once this one has been sent, because there may be many topics.
     */
    private static void announceSome(Connection next, Iterator<Runnable> announcements) {
        for (int i = 0; i < BATCH && announcements.hasNext(); i++) {
            announcements.next().run();
        }
        if (announcements.hasNext()) {
            next.executeAfterControlMessages(() -> announceSome(next, announcements));
        }
    }

    private void resume(TopicOutput output, Connection next) {
        TopicPublisher topic = topics.get(output.topic());
        if (topic != null && topic.options().keepsLast() && !isKeptSupported()) {
            onRefused(output, UNSUPPORTED);
        } else {
            output.resume(next);
        }
    }

    private synchronized boolean isKeptSupported() {
        return supportsKept;
    }

    private void replaceIfLost(TopicPublisher topic, Connection next) {
        TopicOutput former = topic.output();
        if (former.keeps() || former.ended() != PublishResult.NOT_CONNECTED || topic.isClosed()) {
            forgetFormer(former);
            return;
        }
        try {
            // Reads the counters without this object's lock, because a thread with an output's lock may acquire this
            // one.
            replace(topic, former, former.counts(), next);
        } catch (TransportException e) {
            return; // too many control messages are queued; the next connection will announce the topic
        }
        if (topic.isClosed()) {
            topic.output().close();
        }
        forgetFormer(former);
    }

    private synchronized void replace(
            TopicPublisher topic, TopicOutput former, OutputCounts formerCounts, Connection next) {
        if (connection == next && topic.output() == former) {
            topic.replace(open(topic.topic(), topic.options(), former.listener()), formerCounts);
        }
    }

    /**
     * Removes an output that was replaced, or that was dropped and will not be replaced, unless a claim is still open.
     * Its counters are kept.
     */
    private void forgetFormer(TopicOutput output) {
        TopicPublisher topic = topics.get(output.topic());
        boolean isFormer = topic != null && (topic.output() != output || topic.isClosed() && output.isDropped());
        if (isFormer && !output.hasBuffer()) {
            outputs.forget(output.bufferId());
        }
    }

    /** Called on the worker when the connection is lost and will be replaced. */
    void lose() {
        DroppedMessages dropped = new DroppedMessages();
        for (TopicOutput output : outputs.all()) {
            if (output.keeps()) {
                output.onLost();
            } else {
                // This connection only drains an output that was closed.
                boolean wasOpen = output.ended() == null;
                output.end(PublishResult.NOT_CONNECTED);
                dropped.add(output.topic(), output.drop());
                if (wasOpen) {
                    output.listener().onLost();
                }
            }
        }
        if (!settings.keepsUnconfirmed()) {
            dropped.addReplies(outputs.dropForgotten()); // only inboxes are removed before their messages are dropped
        }
        dropped.log();
        if (callback != null) {
            // Later, so that the loss of the connection is reported first.
            worker.execute(() -> dropped.tell(callback));
        }
        delays.endAll(); // last, because the application's callback may throw an exception
    }

    /** Called when the connection will not be replaced. */
    void end() {
        outputs.all().forEach(output -> output.end(PublishResult.NOT_CONNECTED));
        worker.execute(delays::endAll);
        releaseWhenUnused();
    }

    private void onRemoved(int bufferId) {
        TopicOutput output = outputs.get(bufferId);
        if (output != null) {
            endDelay(output);
            forgetFormer(output);
        }
        releaseWhenUnused();
    }

    /** Ends the delay of an output without a buffer, because the broker reports nothing more about it. */
    private void endDelay(TopicOutput output) {
        worker.execute(() -> delays.report(output, 0));
    }

    /** Removes the ended output of an inbox; its counters are kept. */
    private void forget(int bufferId) {
        TopicOutput output = outputs.get(bufferId);
        if (output != null) {
            endDelay(output);
        }
        outputs.forget(bufferId);
        releaseWhenUnused();
    }

    /** Closes the ROut once the publisher has ended and no caller is writing into a buffer. */
    private synchronized void releaseWhenUnused() {
        if (!released && hasEnded.getAsBoolean() && outputs.all().stream().noneMatch(TopicOutput::hasBuffer)) {
            released = true;
            out.close();
        }
    }

    // Messages from the broker, handled on the worker.

    void onMessage(RbmqType type, ByteBuffer message) {
        switch (type) {
            case ANNOUNCED -> outputs.get(type, NoticeLayout.bufferId(message)).ifPresent(TopicOutput::onAnnounced);
            case ANNOUNCE_REFUSED ->
                outputs.get(type, NoticeLayout.bufferId(message))
                        .ifPresent(output -> onRefused(output, NoticeLayout.text(message)));
            case INTEREST ->
                outputs.get(type, InterestLayout.bufferId(message))
                        .ifPresent(output -> onInterest(output, Interest.of(InterestLayout.subscriberCount(message))));
            case SLOW ->
                outputs.get(type, SlowLayout.bufferId(message))
                        .ifPresent(output -> onSlow(output, SlowLayout.subscriberCount(message)));
            default -> throw RbmqLayout.violation("the broker sent " + type + " to a publisher");
        }
    }

    private void onRefused(TopicOutput output, String reason) {
        boolean wasAccepted = output.announced().isDone();
        TransportException refusal = output.onRefused(reason);
        output.listener().onRefused(refusal);
        if (wasAccepted && callback != null && !InboxName.is(output.topic())) {
            callback.onTopicRefused(output.topic(), refusal);
        }
    }

    private void onInterest(TopicOutput output, Interest interest) {
        if (output.onInterest(interest)) {
            output.listener().onInterest(output.hasSubscribers());
            if (callback != null && !InboxName.is(output.topic())) {
                callback.onInterest(output.topic(), output.hasSubscribers());
            }
        }
    }

    /**
     * For an output without a buffer, the end of the delay has been reported, or a task queued on this worker will
     * report it.
     */
    private void onSlow(TopicOutput output, int subscriberCount) {
        if (output.hasBuffer()) {
            delays.report(output, subscriberCount);
        }
    }

    // All topics.

    /**
     * Returns a future that completes, on any thread, when the broker has consumed the messages of all topics as far as
     * possible. It fails if some topic's messages could not be consumed. Dropped messages count only while there is no
     * connection.
     */
    CompletableFuture<Void> consumed() {
        boolean isConnected = isConnected();
        return CompletableFuture.allOf(outputs.all().stream()
                .filter(output -> !isConnected || !output.isDropped())
                .map(TopicOutput::flush)
                .toArray(CompletableFuture<?>[]::new));
    }

    private synchronized boolean isConnected() {
        return connection.isOpen();
    }

    /** Returns the number of times that subscribers started to delay a topic. */
    long sufferedDelayCount() {
        return delays.count();
    }

    /** Returns the sums of the counters of all topics and inboxes so far. */
    OutputCounts counts() {
        return outputs.sum();
    }
}
