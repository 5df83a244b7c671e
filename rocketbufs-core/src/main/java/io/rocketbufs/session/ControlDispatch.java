package io.rocketbufs.session;

import io.rocketbufs.in.Inputs;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.GapLayout;
import io.rocketbufs.wire.PositionLayout;
import io.rocketbufs.wire.SubscribedLayout;
import io.rocketbufs.wire.TextLayout;
import java.nio.ByteBuffer;

/** Reads the control messages about this side's input buffers, and hands each to the buffer concerned. */
final class ControlDispatch {
    private ControlDispatch() {}

    static void toInput(ControlType type, ByteBuffer body, Inputs inputs) {
        switch (type) {
            case SUBSCRIBED ->
                inputs.onSubscribed(
                        SubscribedLayout.tag(body),
                        SubscribedLayout.isOverwriting(body),
                        SubscribedLayout.isLossy(body),
                        new RemoteAccess(SubscribedLayout.address(body), SubscribedLayout.key(body)));
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
}
