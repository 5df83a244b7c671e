package io.rocketbufs.benchmarks.micro;

import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.GapLayout;
import io.rocketbufs.wire.HelloLayout;
import io.rocketbufs.wire.PositionLayout;
import io.rocketbufs.wire.SubscribeLayout;
import io.rocketbufs.wire.SubscribedLayout;
import io.rocketbufs.wire.TextLayout;
import java.nio.ByteBuffer;

/** Sample control messages, one for each layout. Types that share a layout are represented by one sample. */
public enum ControlSample {
    /** A message with {@link HelloLayout} and a greeting of the same length as RBMQ's. */
    HELLO(ControlType.HELLO) {
        private final byte[] greeting = new byte[24];

        @Override
        void write(ByteBuffer body, int tag) {
            HelloLayout.put(body, tag, 2000, greeting);
        }

        @Override
        long read(ByteBuffer body) {
            boolean known =
                    HelloLayout.hasMagic(body) && HelloLayout.protocolVersion(body) == HelloLayout.PROTOCOL_VERSION;
            return HelloLayout.role(body)
                    + HelloLayout.heartbeatMs(body)
                    + (known ? HelloLayout.greeting(body).length : 0);
        }
    },
    /** A message with {@link SubscribeLayout}. */
    SUBSCRIBE(ControlType.SUBSCRIBE) {
        @Override
        void write(ByteBuffer body, int tag) {
            SubscribeLayout.putIds(body, 1, tag);
            SubscribeLayout.putLimits(body, 1 << 20, 1 << 18, 0, 0);
            SubscribeLayout.putAccess(body, 0, 0);
            SubscribeLayout.putStart(body, -1, 0);
            SubscribeLayout.putIdentity(body, 0);
        }

        @Override
        long read(ByteBuffer body) {
            return SubscribeLayout.bufferId(body)
                    + SubscribeLayout.tag(body)
                    + SubscribeLayout.capacity(body)
                    + SubscribeLayout.transferLimit(body)
                    + SubscribeLayout.policy(body)
                    + SubscribeLayout.demand(body)
                    + SubscribeLayout.address(body)
                    + SubscribeLayout.key(body);
        }
    },
    /** A message with {@link SubscribedLayout}. */
    SUBSCRIBED(ControlType.SUBSCRIBED) {
        @Override
        void write(ByteBuffer body, int tag) {
            SubscribedLayout.putKind(body, tag, false, false);
            SubscribedLayout.putWord(body, 0, 0);
            SubscribedLayout.putPositions(body, 0, 0);
        }

        @Override
        long read(ByteBuffer body) {
            return SubscribedLayout.tag(body)
                    + (SubscribedLayout.isOverwriting(body) ? 1 : 0)
                    + SubscribedLayout.address(body)
                    + SubscribedLayout.key(body);
        }
    },
    /** A message with {@link PositionLayout}. */
    CREDIT(ControlType.CREDIT) {
        @Override
        void write(ByteBuffer body, int tag) {
            PositionLayout.put(body, tag, 1L << 40);
        }

        @Override
        long read(ByteBuffer body) {
            return PositionLayout.tag(body) + PositionLayout.position(body);
        }
    },
    /** A message with {@link GapLayout}. */
    GAP(ControlType.GAP) {
        @Override
        void write(ByteBuffer body, int tag) {
            GapLayout.put(body, tag, 1L << 40, 1 << 16);
        }

        @Override
        long read(ByteBuffer body) {
            return GapLayout.tag(body) + GapLayout.position(body) + GapLayout.lost(body);
        }
    },
    /** A message without a body. */
    PING(ControlType.PING) {
        @Override
        void write(ByteBuffer body, int tag) {
            // The header contains all the information.
        }

        @Override
        long read(ByteBuffer body) {
            return body.remaining();
        }
    },
    /** A message with {@link TextLayout}. */
    GOODBYE(ControlType.GOODBYE) {
        @Override
        void write(ByteBuffer body, int tag) {
            TextLayout.put(body, tag, "the broker shuts down");
        }

        @Override
        long read(ByteBuffer body) {
            return TextLayout.tag(body) + TextLayout.text(body).length();
        }
    };

    private final ControlType type;

    ControlSample(ControlType type) {
        this.type = type;
    }

    ControlType type() {
        return type;
    }

    abstract void write(ByteBuffer body, int tag);

    /** Returns the sum of all numeric fields and of the lengths of all other fields. */
    abstract long read(ByteBuffer body);
}
