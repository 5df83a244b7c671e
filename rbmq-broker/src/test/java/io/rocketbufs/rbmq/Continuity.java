package io.rocketbufs.rbmq;

import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.Message;
import io.rocketbufs.rbmq.client.MessageHandler;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.LongStream;

/**
 * A record of the numbered messages that a subscriber has received, and of the gaps that were reported to it. Each
 * topic has one publisher, which numbers its messages from 0.
 */
public final class Continuity implements SubscriberCallback, MessageHandler {
    /** Length of a message in a buffer, in bytes. */
    public static final int FRAME = 12;

    private static final TreeSet<Long> NONE = new TreeSet<>();

    private final Map<String, Long> next = new HashMap<>();
    private final Map<String, Long> missed = new HashMap<>();
    /**
     * The numbers of the messages that are missing from gaps of unknown length. A number is removed when its message
     * arrives.
     */
    private final Map<String, TreeSet<Long>> unknownMissed = new HashMap<>();

    private final Map<String, TreeSet<Long>> received = new HashMap<>();
    private final Map<String, Boolean> isUncertain = new HashMap<>();
    private final List<Gap> gaps = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private long repeatedCount;
    private int reconnectCount;
    private int ends;

    /** Publishes the numbers from {@code first} to {@code end - 1}. */
    public static void publish(TopicPublisher topic, long first, long end) {
        for (long i = first; i < end; i++) {
            topic.publish(ByteBuffer.allocate(8).putLong(0, i));
        }
    }

    @Override
    public synchronized void onMessage(Message message) {
        String topic = message.topic();
        long number = message.getLong(0);
        long expected = next.getOrDefault(topic, 0L);
        if (number > expected && !isUncertain.getOrDefault(topic, false)) {
            faults.add(topic + ": " + number + " instead of " + expected);
        } else if (number > expected) {
            LongStream.range(expected, number)
                    .forEach(unknownMissed.computeIfAbsent(topic, any -> new TreeSet<>())::add);
        }
        // After connecting to a third broker, a publisher resends messages that only the second broker has received.
        unknownMissed.getOrDefault(topic, NONE).remove(number);
        if (!received.computeIfAbsent(topic, any -> new TreeSet<>()).add(number)) {
            repeatedCount++;
        }
        isUncertain.put(topic, false);
        next.put(topic, Math.max(expected, number + 1));
    }

    @Override
    public synchronized void onGap(Gap gap) {
        gaps.add(gap);
        if (gap.isKnown()) {
            next.merge(gap.topic(), gap.lostLength() / FRAME, Long::sum);
            missed.merge(gap.topic(), gap.lostLength() / FRAME, Long::sum);
        } else {
            isUncertain.put(gap.topic(), true);
        }
    }

    @Override
    public synchronized void onError(String topic, int publisher, Throwable error) {
        faults.add(topic + ": " + error);
    }

    @Override
    public synchronized void onPublisherEnd(String topic, int publisher, String failure) {
        ends++;
    }

    /** Returns the number of publishers that have left. */
    public synchronized int ends() {
        return ends;
    }

    @Override
    public synchronized void onDisconnected(TransportException cause, long nextAttemptMs) {
        events.add("lost: " + cause.getMessage());
    }

    @Override
    public synchronized void onReconnected(String broker, boolean isSame) {
        events.add(isSame ? "same broker" : "other broker");
        reconnectCount++;
    }

    /** Returns the number that follows that of the last message received or reported as missed. */
    public synchronized long next(String topic) {
        return next.getOrDefault(topic, 0L);
    }

    /** Returns the number of distinct messages received. */
    public synchronized long receivedCount(String topic) {
        return received.getOrDefault(topic, NONE).size();
    }

    /** Returns the number of messages that were reported as missed. */
    public synchronized long missedCount(String topic) {
        return missed.getOrDefault(topic, 0L);
    }

    /** Returns the number of messages that are missing from gaps of unknown length and have not been received since. */
    public synchronized long unknownMissedCount(String topic) {
        return unknownMissed.getOrDefault(topic, NONE).size();
    }

    /** Returns the number of messages that were received repeatedly. */
    public synchronized long repeatedCount() {
        return repeatedCount;
    }

    /** Returns the number of times that the subscriber has reconnected. */
    public synchronized int reconnectCount() {
        return reconnectCount;
    }

    /** Returns all gaps. */
    public synchronized List<Gap> gaps() {
        return List.copyOf(gaps);
    }

    /** Returns the reported connection losses and reconnections. */
    public synchronized List<String> events() {
        return List.copyOf(events);
    }

    /** Returns descriptions of unreported missing messages and of errors. */
    public synchronized List<String> faults() {
        return List.copyOf(faults);
    }
}
