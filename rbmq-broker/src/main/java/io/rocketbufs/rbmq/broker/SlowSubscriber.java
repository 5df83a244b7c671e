package io.rocketbufs.rbmq.broker;

import io.rocketbufs.metrics.LossState;
import io.rocketbufs.metrics.SlowState;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.text.PlainText;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.ObjLongConsumer;

/**
 * One subscriber's open delays and open losses. In each delay, the subscriber delays a publisher on one topic; in each
 * loss, it is missing data from a publisher on one topic.
 *
 * <pre>
 *   (none) ---a subscription delays the publisher---&gt; OPEN ---no subscription still delays it---&gt; (none)
 * </pre>
 *
 * A client has one subscription to a publisher's buffer, and one to the buffer of each of its group memberships. When
 * it resubscribes before the previous subscription has ended, it briefly has both.
 *
 * <p><b>Thread-safety:</b> the worker of the subscriber's connection; any thread may read the numbers.
 */
final class SlowSubscriber {
    private final ConnectedSubscriber subscriber;
    private final SlowLog log;
    private final SlowLog lossLog;
    private final ObjLongConsumer<ConnectedPublisher> heldBack;
    /** The open delays by the broker's id of the buffer that the subscriber reads. */
    private final Map<Integer, Delay> delays = new HashMap<>();
    /** The episodes of the subscriptions that delay a publisher, by subscription number. */
    private final Map<Long, Episode> episodes = new HashMap<>();
    /** The sources of missing data, by subscription number. */
    private final Map<Long, SlowLog.Source> losses = new HashMap<>();

    private volatile int openCount;
    private volatile long pendingLength;
    private volatile long delayMs;
    private volatile long delayCount;
    private boolean disconnected;

    /** An open delay of one buffer's publisher. */
    private static final class Delay {
        final int bufferId;
        final TopicBuffer buffer;
        final SlowLog.Source logged;
        int episodeCount;
        /** Duration of the longest episode, in milliseconds. */
        long delayMs;

        Delay(int bufferId, TopicBuffer buffer, SlowLog.Source logged) {
            this.bufferId = bufferId;
            this.buffer = buffer;
            this.logged = logged;
        }
    }

    /** One subscription's part in a delay. */
    private static final class Episode {
        final Delay delay;
        long pendingLength;
        long delayMs;

        Episode(Delay delay) {
            this.delay = delay;
        }
    }

    /**
     * Creates a subscriber without delays or losses.
     *
     * @param log logs the subscriber's delays
     * @param lossLog logs the subscriber's losses
     * @param heldBack adds to the number of milliseconds that a publisher has waited for this subscriber
     */
    SlowSubscriber(
            ConnectedSubscriber subscriber,
            SlowLog log,
            SlowLog lossLog,
            ObjLongConsumer<ConnectedPublisher> heldBack) {
        this.subscriber = subscriber;
        this.log = log;
        this.lossLog = lossLog;
        this.heldBack = heldBack;
    }

    /**
     * Starts, continues or ends a delay.
     *
     * @param bufferId the buffer that the subscriber reads, which belongs to the publisher or to a group member
     * @param buffers the publishers' buffers by the broker's ids of the buffers that subscribers read
     */
    void onSlow(int bufferId, SlowState state, Map<Integer, TopicBuffer> buffers) {
        if (state.phase() == SlowState.Phase.BEGAN) {
            begin(bufferId, state, buffers);
        }
        Episode episode = episodes.get(state.subscription());
        if (episode == null) {
            return; // the publisher had already left when the episode began
        }
        pendingLength += state.pendingLength() - episode.pendingLength;
        episode.pendingLength = state.pendingLength();
        long waitedMs = state.delayMs() - episode.delayMs;
        delayMs += waitedMs;
        heldBack.accept(episode.delay.buffer.publisher(), waitedMs);
        episode.delayMs = state.delayMs();
        episode.delay.delayMs = Math.max(episode.delay.delayMs, episode.delayMs);
        switch (state.phase()) {
            case RECOVERED, UNSUBSCRIBED -> end(episode, state);
            default -> checkTimeout(episode);
        }
    }

    private void begin(int bufferId, SlowState state, Map<Integer, TopicBuffer> buffers) {
        Delay delay = delays.get(bufferId);
        if (delay == null) {
            TopicBuffer buffer = buffers.get(bufferId);
            if (buffer == null) {
                return;
            }
            delay = open(bufferId, buffer, state);
        }
        delay.episodeCount++;
        episodes.put(state.subscription(), new Episode(delay));
    }

    private Delay open(int bufferId, TopicBuffer buffer, SlowState state) {
        Delay delay = new Delay(bufferId, buffer, source(buffer));
        delays.put(bufferId, delay);
        openCount++;
        delayCount++;
        log.begin(delay.logged, state.pendingLength(), state.policy().name().toLowerCase(Locale.ROOT));
        subscriber.notifySlow(bufferId, 1, state.pendingLength(), state.delayMs());
        buffer.beginSlow(state.pendingLength(), state.delayMs());
        return delay;
    }

    private static SlowLog.Source source(TopicBuffer buffer) {
        ConnectedPublisher publisher = buffer.publisher();
        return new SlowLog.Source(
                "publisher " + publisher.number() + " " + PlainText.quoted(publisher.name()), describeTopic(buffer));
    }

    private static String describeTopic(TopicBuffer buffer) {
        return describeTopic(buffer.topic(), buffer.isInbox());
    }

    /** Returns the topic as described in log lines, which must not contain the name of an inbox. */
    private static String describeTopic(String topic, boolean isInbox) {
        return isInbox ? "its inbox" : "topic \"" + topic + "\"";
    }

    private void end(Episode episode, SlowState state) {
        episodes.remove(state.subscription());
        pendingLength -= episode.pendingLength;
        Delay delay = episode.delay;
        delay.episodeCount--;
        if (delay.episodeCount > 0) {
            return;
        }
        TopicBuffer buffer = delay.buffer;
        delays.remove(delay.bufferId);
        openCount--;
        log.end(delay.logged, state.phase() == SlowState.Phase.UNSUBSCRIBED, delay.delayMs);
        subscriber.notifySlow(delay.bufferId, 0, state.pendingLength(), delay.delayMs);
        buffer.endSlow(state.pendingLength(), delay.delayMs);
    }

    /**
     * Disconnects a subscriber that delays a publisher for too long. Other limits do not apply to it if it makes
     * progress.
     */
    private void checkTimeout(Episode episode) {
        TopicBuffer buffer = episode.delay.buffer;
        long limitMs = buffer.rule().blockTimeoutMs();
        if (limitMs > 0 && episode.delayMs >= limitMs && !disconnected) {
            disconnected = true;
            subscriber
                    .connection()
                    .disconnect("the subscriber delayed publisher "
                            + buffer.publisher().number() + " on " + describeTopic(buffer) + " for " + episode.delayMs
                            + " ms, longer than " + buffer.rule().describe("block-timeout", limitMs + " ms"));
        }
    }

    /**
     * Starts or ends a loss.
     *
     * @param buffer the buffer; null if its publisher has left
     * @param topic the topic of the buffer; null if the topic is unknown, too
     */
    void onLoss(int bufferId, LossState state, TopicBuffer buffer, String topic) {
        if (state.phase() == LossState.Phase.BEGAN) {
            SlowLog.Source source = buffer == null ? departed(bufferId, topic) : source(buffer);
            losses.put(state.subscription(), source);
            lossLog.begin(source, state.lostLength(), state.policy().name().toLowerCase(Locale.ROOT));
        } else {
            SlowLog.Source source = losses.remove(state.subscription());
            lossLog.end(source, state.phase() == LossState.Phase.UNSUBSCRIBED, state.lostLength());
        }
    }

    private static SlowLog.Source departed(int bufferId, String topic) {
        return new SlowLog.Source(
                "a former publisher", topic == null ? "buffer " + bufferId : describeTopic(topic, InboxName.is(topic)));
    }

    /** Logs the delays and losses that have only been counted. Called when the subscriber has left. */
    void close() {
        log.close();
        lossLog.close();
    }

    // Methods that any thread may call.

    /** Returns the number of open delays. */
    int openCount() {
        return openCount;
    }

    /** Returns the number of bytes that wait for the subscriber in the buffers of delayed publishers. */
    long pendingLength() {
        return pendingLength;
    }

    /** Returns the total number of delays so far. */
    long delayCount() {
        return delayCount;
    }

    /** Returns for how many milliseconds the subscriber has delayed publishers, summed over its subscriptions. */
    long delayMs() {
        return delayMs;
    }
}
