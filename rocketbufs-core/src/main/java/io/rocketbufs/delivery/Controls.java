package io.rocketbufs.delivery;

import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.HelloLayout;
import io.rocketbufs.wire.PositionLayout;
import io.rocketbufs.wire.SubscribeLayout;
import io.rocketbufs.wire.SubscribedLayout;
import io.rocketbufs.wire.TextLayout;
import java.nio.ByteBuffer;

/**
 * Writes the control messages of one connection that go through its queue; the short ones that belong to a turn are
 * written by the turn.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class Controls {
    private final Endpoint endpoint;

    Controls(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    void hello(int role, int heartbeatMs, byte[] greeting) {
        ByteBuffer message = begin(ControlType.HELLO, HelloLayout.FIXED_LENGTH + greeting.length, 0);
        HelloLayout.put(message, role, heartbeatMs, greeting);
        endpoint.sender().open(ControlLayout.end(message));
    }

    void subscribe(InputBuffer buffer, SubscribeOptions options) {
        ByteBuffer message = begin(ControlType.SUBSCRIBE, SubscribeLayout.LENGTH, buffer.tag());
        SubscribeLayout.putIds(message, buffer.bufferId(), buffer.tag());
        int policy = options.slowPolicy() == null ? 0 : options.slowPolicy().code();
        int demand = options.flowControl() == null ? 0 : options.flowControl() ? 1 : 2;
        SubscribeLayout.putLimits(message, buffer.memory().capacity(), buffer.transferLimit(), policy, demand);
        SubscribeLayout.putAccess(
                message, buffer.access().address(), buffer.access().key());
        request(message);
    }

    void subscribed(Subscription subscription, int correlationId) {
        ByteBuffer message = begin(ControlType.SUBSCRIBED, SubscribedLayout.LENGTH, correlationId);
        SubscribedLayout.putKind(message, subscription.tag(), subscription.isOverwriting());
        RemoteAccess word = subscription.word().access();
        SubscribedLayout.putWord(message, word.address(), word.key());
        answer(message);
    }

    void refused(int tag, String reason, int correlationId) {
        text(ControlType.SUBSCRIBE_REFUSED, tag, reason, correlationId);
    }

    void subscriptionFailed(int tag, String reason) {
        text(ControlType.SUBSCRIPTION_FAILED, tag, reason, 0);
    }

    void unsubscribe(int tag) {
        ByteBuffer message = begin(ControlType.UNSUBSCRIBE, PositionLayout.LENGTH, tag);
        PositionLayout.put(message, tag, 0);
        answer(message);
    }

    void unsubscribed(int tag) {
        ByteBuffer message = begin(ControlType.UNSUBSCRIBED, PositionLayout.LENGTH, tag);
        PositionLayout.put(message, tag, 0);
        answer(message);
    }

    /** Says nothing where so much waits already that this finds no room: it would tell the peer nothing new. */
    void ping() {
        ByteBuffer message = ControlLayout.end(begin(ControlType.PING, 0, 0));
        endpoint.sender().sendControl(message, ControlQueue.REQUEST_LIMIT);
    }

    void goodbye(String reason) {
        endpoint.sender().openUnheard();
        text(ControlType.GOODBYE, 0, reason, 0);
    }

    /** A message of the application, from its position to its limit. */
    void application(ByteBuffer body) {
        if (body.remaining() > endpoint.longestControl()) {
            throw new IllegalArgumentException("length=" + body.remaining() + " longest=" + endpoint.longestControl());
        }
        request(begin(ControlType.APPLICATION, body.remaining(), 0).put(body));
    }

    private void text(ControlType type, int tag, String text, int correlationId) {
        ByteBuffer message = begin(type, TextLayout.MAX_LENGTH, correlationId);
        TextLayout.put(message, tag, text);
        answer(message);
    }

    private static ByteBuffer begin(ControlType type, int bodyLength, int correlationId) {
        ByteBuffer message = ByteBuffer.allocateDirect(ControlLayout.HEADER_LENGTH + bodyLength);
        return ControlLayout.begin(message, type, correlationId);
    }

    /** What our application or our clock asks for: too much is the caller's problem, not the connection's. */
    private void request(ByteBuffer message) {
        if (!endpoint.sender().sendControl(ControlLayout.end(message), ControlQueue.REQUEST_LIMIT)) {
            throw tooMuch(ControlQueue.REQUEST_LIMIT);
        }
    }

    /** What the peer's messages bring about: a peer that asks without reading loses the connection. */
    private void answer(ByteBuffer message) {
        if (!endpoint.sender().sendControl(ControlLayout.end(message), ControlQueue.ANSWER_LIMIT)) {
            endpoint.fail(tooMuch(ControlQueue.ANSWER_LIMIT));
        }
    }

    private TransportException tooMuch(int limit) {
        return new TransportException(
                TransportException.Code.RESOURCES,
                "more than " + limit + " bytes of control messages wait for " + endpoint.peer());
    }
}
