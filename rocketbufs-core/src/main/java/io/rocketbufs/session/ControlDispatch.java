package io.rocketbufs.session;

import io.rocketbufs.in.InputTerms;
import io.rocketbufs.in.Inputs;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.GapLayout;
import io.rocketbufs.wire.PositionLayout;
import io.rocketbufs.wire.SubscribedLayout;
import io.rocketbufs.wire.TextLayout;
import java.nio.ByteBuffer;

/** The dispatcher of control messages about this side's input buffers. It passes each message to its buffer. */
final class ControlDispatch {
    private ControlDispatch() {}

    static void toInput(ControlType type, ByteBuffer body, Inputs inputs) {
        switch (type) {
            case SUBSCRIBED -> subscribed(body, inputs);
            case SUBSCRIBE_REFUSED -> inputs.onRefused(TextLayout.tag(body), TextLayout.text(body));
            case UNSUBSCRIBED -> inputs.onUnsubscribed(PositionLayout.tag(body));
            case STARVING -> inputs.onStarving(PositionLayout.tag(body), PositionLayout.position(body));
            case FLUSH -> inputs.onFlush(PositionLayout.tag(body), PositionLayout.position(body));
            case GAP -> inputs.onGap(GapLayout.tag(body), GapLayout.position(body), GapLayout.lost(body));
            case END -> inputs.onEnd(PositionLayout.tag(body), PositionLayout.position(body));
            case SUBSCRIPTION_FAILED -> inputs.onEnd(TextLayout.tag(body), TextLayout.text(body));
            default -> throw new IllegalStateException("type=" + type);
        }
    }

    /** Rejects an unknown kind or invalid positions, with which this side might misinterpret the data that follows. */
    private static void subscribed(ByteBuffer body, Inputs inputs) {
        int kind = SubscribedLayout.kind(body);
        if (kind > SubscribedLayout.MAX_KIND) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    "SUBSCRIBED for tag=" + SubscribedLayout.tag(body) + " has kind=" + kind
                            + ", but the highest supported kind is " + SubscribedLayout.MAX_KIND);
        }
        long start = SubscribedLayout.startPosition(body);
        if (start < 0 || start > SubscribedLayout.MAX_START) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    "SUBSCRIBED for tag=" + SubscribedLayout.tag(body) + " has startPosition=" + start
                            + ", which is not in the range 0 to " + SubscribedLayout.MAX_START);
        }
        long live = SubscribedLayout.livePosition(body);
        if (live < start || live > SubscribedLayout.MAX_START) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    "SUBSCRIBED for tag=" + SubscribedLayout.tag(body) + " has livePosition=" + live
                            + ", which is not in the range startPosition=" + start + " to "
                            + SubscribedLayout.MAX_START);
        }
        inputs.onSubscribed(
                SubscribedLayout.tag(body),
                new InputTerms(SubscribedLayout.isOverwriting(body), SubscribedLayout.isLossy(body), start, live),
                new RemoteAccess(SubscribedLayout.address(body), SubscribedLayout.key(body)));
    }
}
