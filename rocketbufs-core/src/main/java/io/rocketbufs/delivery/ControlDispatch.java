package io.rocketbufs.delivery;

import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.GapLayout;
import io.rocketbufs.wire.HelloLayout;
import io.rocketbufs.wire.PositionLayout;
import io.rocketbufs.wire.SubscribedLayout;
import io.rocketbufs.wire.TextLayout;
import java.nio.ByteBuffer;

/**
 * Reads the control messages of one connection and hands each to whom it concerns. A message that breaks the protocol
 * throws, which ends the connection.
 *
 * <p><b>Thread-safety:</b> worker only.
 */
final class ControlDispatch {
    private final Endpoint endpoint;

    ControlDispatch(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    void dispatch(ByteBuffer message) {
        int correlationId =
                message.remaining() < ControlLayout.HEADER_LENGTH ? 0 : ControlLayout.correlationId(message);
        ControlType type = ControlMessages.check(message);
        if (type == ControlType.HELLO != !endpoint.isGreeted() && type != ControlType.GOODBYE) {
            throw violation(
                    type == ControlType.HELLO ? "says hello again" : "begins with " + type + " instead of HELLO");
        }
        switch (type) {
            case HELLO -> hello(message);
            case SUBSCRIBE -> endpoint.onSubscribe(SubscribeRequest.of(message, correlationId));
            case UNSUBSCRIBE, CREDIT -> toSubscription(type, message);
            case APPLICATION -> endpoint.onApplication(message);
            case GOODBYE -> endpoint.onGoodbye(TextLayout.text(message));
            case PING -> {}
            default -> toInput(type, message);
        }
    }

    private void hello(ByteBuffer body) {
        if (!HelloLayout.hasMagic(body)) {
            throw violation("does not speak this protocol");
        }
        if (HelloLayout.protocolVersion(body) != HelloLayout.PROTOCOL_VERSION) {
            throw violation("speaks protocol version " + HelloLayout.protocolVersion(body) + ", known is "
                    + HelloLayout.PROTOCOL_VERSION);
        }
        int heartbeatMs = HelloLayout.heartbeatMs(body);
        if (heartbeatMs < 1 || heartbeatMs > 3_600_000) {
            throw violation("announces heartbeatMs=" + heartbeatMs);
        }
        endpoint.onHello(HelloLayout.role(body), heartbeatMs, HelloLayout.greeting(body));
    }

    private void toSubscription(ControlType type, ByteBuffer body) {
        Subscription subscription = endpoint.subscription(PositionLayout.tag(body));
        if (type == ControlType.UNSUBSCRIBE) {
            subscription.onUnsubscribe();
        } else if (!subscription.onCredit(PositionLayout.position(body))) {
            throw subscription.wrongClaim(PositionLayout.position(body));
        }
    }

    private void toInput(ControlType type, ByteBuffer body) {
        Inputs inputs = endpoint.inputs();
        switch (type) {
            case SUBSCRIBED ->
                inputs.onSubscribed(
                        SubscribedLayout.tag(body),
                        SubscribedLayout.isOverwriting(body),
                        new RemoteAccess(SubscribedLayout.address(body), SubscribedLayout.key(body)));
            case SUBSCRIBE_REFUSED -> inputs.onRefused(TextLayout.tag(body), TextLayout.text(body));
            case UNSUBSCRIBED -> inputs.onUnsubscribed(PositionLayout.tag(body));
            case STARVING -> inputs.onStarving(PositionLayout.tag(body), PositionLayout.position(body));
            case FLUSH -> inputs.onFlush(PositionLayout.tag(body), PositionLayout.position(body));
            case GAP -> inputs.onGap(GapLayout.tag(body), GapLayout.position(body), GapLayout.lost(body));
            case END -> inputs.onEnd(PositionLayout.tag(body), null);
            case SUBSCRIPTION_FAILED -> inputs.onEnd(TextLayout.tag(body), TextLayout.text(body));
            default -> throw new IllegalStateException("type=" + type);
        }
    }

    private TransportException violation(String what) {
        return new TransportException(TransportException.Code.PROTOCOL, endpoint.peer() + " " + what);
    }
}
