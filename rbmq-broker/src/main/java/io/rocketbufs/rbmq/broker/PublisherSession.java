package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.Segment;
import io.rocketbufs.rbmq.protocol.AnnounceLayout;
import io.rocketbufs.rbmq.protocol.BufferTable;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqLayout;
import io.rocketbufs.rbmq.protocol.RbmqMessage;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session of one connected publisher. It accepts the publisher's announcements, subscribes to its buffers and
 * splices them into the broker's output.
 *
 * <p><b>Thread-safety:</b> the connection's worker, except for the counters. <b>Source:</b> RocketBufs 4.1, listing 3,
 * lines 7 to 12 and 28 to 33.
 */
final class PublisherSession implements ClientSession {
    /**
     * Maximum number of buffers of one inbox. A responder removes an idle buffer and may announce the inbox again
     * before the broker has processed the end of that buffer. No more than two buffers are expected.
     */
    private static final int MAX_BUFFERS_PER_INBOX = 4;

    private static final Logger LOG = LoggerFactory.getLogger(PublisherSession.class);

    private final Ingest ingest;
    private final BrokerLimits limits;
    private final Connection connection;
    private final ConnectedPublisher publisher;
    private final RIn in;
    /** The announced buffers by the publisher's id of each buffer. */
    private final BufferTable<TopicBuffer> announced = new BufferTable<>();
    /** The names of the announced topics, except for inboxes. */
    private final Set<String> topicNames = new HashSet<>();
    /** The number of announced buffers of each inbox. */
    private final Map<String, Integer> inboxes = new HashMap<>();

    private final ClientWarnings warnings;
    private final TopicLog topicLog;
    /** True once a review has closed the connection. */
    private boolean isDisconnected;

    PublisherSession(
            Ingest ingest,
            BrokerLimits limits,
            Connection connection,
            ConnectedPublisher publisher,
            ScheduledExecutorService logTimer) {
        this.ingest = ingest;
        this.limits = limits;
        this.connection = connection;
        this.publisher = publisher;
        this.in = new RIn(connection);
        this.warnings = new ClientWarnings(LOG, publisher.toString());
        this.topicLog = new TopicLog(LOG, publisher, logTimer);
        in.setControlMessageCallback(this::onControl);
        in.setDataInCallback(this::onData);
        in.setBufferEndCallback(this::onBufferEnd);
        publisher.setGroupedCallback(this::beginGroups);
    }

    @Override
    public Connection connection() {
        return connection;
    }

    /**
     * Ends the topics to which the publisher may no longer publish; its other topics continue. Disconnects a publisher
     * that is no longer accepted, and drops data that still arrives from it.
     */
    @Override
    public void review() {
        if (isDisconnected || !connection.isOpen()) {
            return;
        }
        Principal principal = publisher.principal();
        String loss = principal.loss();
        List<TopicBuffer> buffers = new ArrayList<>();
        announced.forEach(buffers::add);
        for (TopicBuffer buffer : buffers) {
            if (buffer.isJoined() && !principal.mayPublish(buffer.topic())) {
                revoke(buffer);
                if (loss == null) {
                    loss = refuseRevoked(
                            buffer,
                            "the broker's configuration has changed: " + principal.describeNoPublish(buffer.topic()));
                }
            }
        }
        if (loss != null) {
            isDisconnected = true;
            ClientSession.disconnect(LOG, this, publisher, loss);
        }
    }

    /**
     * Notifies the publisher that a topic has ended. If too many unread notices are waiting, returns the reason for
     * disconnecting the publisher, which learns its rights when it reconnects; otherwise null.
     */
    private String refuseRevoked(TopicBuffer buffer, String reason) {
        try {
            refuse(buffer.publishersId(), reason);
            return null;
        } catch (TransportException e) {
            return reason;
        }
    }

    /** Ends a topic. Data that still arrives for the topic is dropped. */
    private void revoke(TopicBuffer buffer) {
        forget(buffer.publishersId());
        ingest.leave(in, buffer, "the publisher has lost the right to publish to the topic");
        in.unsubscribe(buffer.publishersId());
        topicLog.left(buffer.topic());
    }

    /** Called when the connection has ended. By then, its buffers have ended. */
    @Override
    public void onClosed(Throwable failure) {
        in.close();
        topicLog.close();
        ClientSession.logLeft(LOG, publisher, failure);
    }

    private void onControl(ByteBuffer message) {
        if (RbmqMessage.type(message) != RbmqType.ANNOUNCE) {
            throw RbmqLayout.violation("a publisher sent something other than ANNOUNCE");
        }
        int id = AnnounceLayout.bufferId(message);
        try {
            announce(
                    id,
                    AnnounceLayout.topic(message),
                    AnnounceLayout.capacity(message),
                    AnnounceLayout.keepsLast(message));
        } catch (IllegalArgumentException e) {
            refuse(id, e.getMessage());
        }
    }

    private void announce(int id, String topic, long wantedCapacity, boolean keepsLast) {
        if (announced.get(id) != null) {
            throw new IllegalArgumentException("buffer " + id + " already belongs to a topic");
        }
        boolean isInbox = InboxName.is(topic);
        publisher.principal().checkPublish(topic);
        checkName(topic, isInbox);
        TopicRule rule = ingest.ruleOf(topic, isInbox, keepsLast);
        limits.checkCapacity(rule, wantedCapacity);
        TopicBuffer buffer = TopicBuffer.of(publisher, topic, rule, id, ingest.nextBufferId(), wantedCapacity);
        checkLimits(topic, isInbox);
        announced.put(id, buffer);
        if (isInbox) {
            inboxes.merge(topic, 1, Integer::sum);
        } else {
            topicNames.add(topic);
        }
        subscribe(buffer);
    }

    private void subscribe(TopicBuffer buffer) {
        int id = buffer.publishersId();
        try {
            in.subscribe(id, buffer.capacity(), ingest.subscribing(buffer))
                    .whenComplete((ok, failure) -> onSubscribed(buffer, failure))
                    .exceptionally(failure -> fail(buffer, failure));
        } catch (RuntimeException | Error e) {
            forget(id);
            throw e;
        }
    }

    /** Disconnects the publisher, because possibly not all subscribers have been notified of its topic. */
    private Void fail(TopicBuffer buffer, Throwable failure) {
        if (connection.isOpen() && announced.get(buffer.publishersId()) == buffer) {
            LOG.error("{} is disconnected: topic \"{}\" failed", publisher, buffer.topic(), failure);
            publisher.close("the broker failed to add topic \"" + buffer.topic() + "\": " + failure);
        }
        return null;
    }

    private void checkName(String topic, boolean isInbox) {
        int bufferCount = isInbox ? inboxes.getOrDefault(topic, 0) : 0;
        if (topicNames.contains(topic)) {
            throw new IllegalArgumentException("topic \"" + topic + "\" is already announced on this connection");
        }
        if (bufferCount >= MAX_BUFFERS_PER_INBOX) {
            throw new IllegalArgumentException("inbox \"" + InboxName.shown(topic) + "\" already has " + bufferCount
                    + " buffers on this connection");
        }
    }

    private void checkLimits(String topic, boolean isInbox) {
        if (!isInbox) {
            limits.enterTopic(topic, topicNames.size());
        } else if (!inboxes.containsKey(topic)) {
            limits.checkInbox(topic, inboxes.size());
        }
    }

    /**
     * Called when the publisher has accepted or refused the broker's subscription, before data of the buffer arrives.
     */
    private void onSubscribed(TopicBuffer buffer, Throwable failure) {
        if (failure != null) {
            forget(buffer.publishersId());
            if (connection.isOpen()) {
                refuse(buffer.publishersId(), failure.getMessage());
            }
            return;
        }
        try {
            // A reload may have changed the rights since the announcement.
            publisher.principal().checkPublish(buffer.topic());
            ingest.join(in, buffer);
        } catch (IllegalArgumentException e) {
            forget(buffer.publishersId());
            in.unsubscribe(buffer.publishersId());
            refuse(buffer.publishersId(), e.getMessage());
            return;
        }
        topicLog.joined(buffer.topic());
        // The notice with the number of subscribers precedes this message, so that the publisher knows the number from
        // the start.
        send(NoticeLayout.ofBuffer(RbmqType.ANNOUNCED, buffer.publishersId(), publisher.number(), ""));
    }

    private void refuse(int id, String reason) {
        warnings.warn("was refused buffer " + id + ": " + reason);
        send(NoticeLayout.ofBuffer(RbmqType.ANNOUNCE_REFUSED, id, publisher.number(), reason));
    }

    private void send(ByteBuffer message) {
        if (connection.isOpen()) {
            connection.sendControlMessage(message);
        }
    }

    /** Called for each transfer. Rejects a transfer to a buffer whose topic was not announced on this connection. */
    private void onData(int id, Segment data) {
        receive(id, data);
    }

    private TopicBuffer receive(int id, Segment data) {
        TopicBuffer buffer = announced.get(id);
        if (buffer == null) {
            throw RbmqLayout.violation(
                    "publisher " + publisher.number() + " sent data to buffer " + id + ", which belongs to no topic");
        }
        buffer.received(data.length());
        return buffer;
    }

    /** Called when a group starts to read one of the buffers. Until then, received data causes no work for groups. */
    private void beginGroups() {
        in.setDataInCallback(this::onGroupedData);
        announced.forEach(TopicBuffer::wakeGroups); // for data that has already arrived
    }

    private void onGroupedData(int id, Segment data) {
        receive(id, data).wakeGroups();
    }

    private void onBufferEnd(int id, String failure) {
        TopicBuffer buffer = forget(id);
        if (buffer != null) {
            ingest.leave(in, buffer, failure);
            if (connection.isOpen()) {
                topicLog.left(buffer.topic());
            }
        }
    }

    private TopicBuffer forget(int id) {
        TopicBuffer buffer = announced.remove(id);
        if (buffer != null && buffer.isInbox()) {
            inboxes.computeIfPresent(buffer.topic(), (inbox, count) -> count == 1 ? null : count - 1);
        } else if (buffer != null) {
            topicNames.remove(buffer.topic());
            limits.leaveTopic();
        }
        return buffer;
    }
}
