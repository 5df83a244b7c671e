package io.rocketbufs.rbmq.protocol;

import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;

/** A reader of messages between clients and broker. It checks the header and the minimum length of the body. */
public final class RbmqMessage {
    private RbmqMessage() {}

    /**
     * Reads the header and leaves the message's position at the start of the body.
     *
     * @throws TransportException with code PROTOCOL when the message type or version is unknown, or the body is too
     *     short
     */
    public static RbmqType type(ByteBuffer message) {
        RbmqType type = RbmqLayout.readType(message);
        if (message.remaining() < minLength(type)) {
            throw RbmqLayout.violation(type + " has a body of only " + message.remaining() + " bytes");
        }
        return type;
    }

    /** Returns the minimum length of a body. */
    private static int minLength(RbmqType type) {
        return switch (type) {
            case ANNOUNCE -> AnnounceLayout.FIXED_LENGTH;
            case TOPIC_SUBSCRIBE -> TopicLayout.FIXED_LENGTH;
            case BUFFERS_ADDED -> BuffersLayout.FIXED_LENGTH;
            case TOPIC_BUFFERS, KEPT -> TopicBuffersLayout.FIXED_LENGTH;
            case WELCOME -> WelcomeLayout.LENGTH;
            case INTEREST -> InterestLayout.LENGTH;
            case GROUP_SUBSCRIBE -> GroupLayout.FIXED_LENGTH;
            case DEPARTURES -> DeparturesLayout.LENGTH;
            case SLOW -> SlowLayout.LENGTH;
            case OFFERS -> OffersLayout.FIXED_LENGTH;
            default -> NoticeLayout.FIXED_LENGTH;
        };
    }
}
