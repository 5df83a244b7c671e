package io.rocketbufs.wire;

/** The control messages, with the length that a body of each may have. */
public enum ControlType {
    /** First message of each side: {@link HelloLayout}. */
    HELLO(1, HelloLayout.FIXED_LENGTH, HelloLayout.FIXED_LENGTH + HelloLayout.MAX_GREETING_LENGTH),
    /** A subscriber wants a buffer: {@link SubscribeLayout}. */
    SUBSCRIBE(2, SubscribeLayout.LENGTH, SubscribeLayout.LENGTH),
    /** The buffer will be sent; answers SUBSCRIBE: {@link SubscribedLayout}. */
    SUBSCRIBED(3, SubscribedLayout.LENGTH, SubscribedLayout.LENGTH),
    /** The buffer will not be sent, answers SUBSCRIBE: {@link TextLayout}. */
    SUBSCRIBE_REFUSED(4, TextLayout.FIXED_LENGTH, TextLayout.MAX_LENGTH),
    /** The subscriber wants no more of a buffer: {@link PositionLayout}. */
    UNSUBSCRIBE(5, PositionLayout.LENGTH, PositionLayout.LENGTH),
    /** Nothing more comes for a tag that was given up; its memory is free: {@link PositionLayout}. */
    UNSUBSCRIBED(6, PositionLayout.LENGTH, PositionLayout.LENGTH),
    /** The absolute position up to which a subscriber has consumed: {@link PositionLayout}. */
    CREDIT(7, PositionLayout.LENGTH, PositionLayout.LENGTH),
    /**
     * The sender cannot go on, and asks for a credit update as soon as a position is consumed: {@link PositionLayout}.
     */
    STARVING(8, PositionLayout.LENGTH, PositionLayout.LENGTH),
    /** Data was left out at a position: {@link GapLayout}. */
    GAP(9, GapLayout.LENGTH, GapLayout.LENGTH),
    /** A buffer ends at a position: {@link PositionLayout}. */
    END(10, PositionLayout.LENGTH, PositionLayout.LENGTH),
    /** A message of the application. */
    APPLICATION(11, 0, ControlLayout.MAX_BODY_LENGTH),
    /** Shows that the sender is alive. */
    PING(12, 0, 0),
    /** The sender closes in good order, with a reason: {@link TextLayout}. */
    GOODBYE(13, TextLayout.FIXED_LENGTH, TextLayout.MAX_LENGTH),
    /** A subscription ends by its sender's will or fault: {@link TextLayout}. */
    SUBSCRIPTION_FAILED(14, TextLayout.FIXED_LENGTH, TextLayout.MAX_LENGTH),
    /**
     * The sender's application waits until a position is consumed, and asks for a credit update then:
     * {@link PositionLayout}.
     */
    FLUSH(15, PositionLayout.LENGTH, PositionLayout.LENGTH);

    private static final ControlType[] BY_CODE = new ControlType[16];

    static {
        for (ControlType type : values()) {
            BY_CODE[type.code] = type;
        }
    }

    private final byte code;
    private final int minLength;
    private final int maxLength;

    ControlType(int code, int minLength, int maxLength) {
        this.code = (byte) code;
        this.minLength = minLength;
        this.maxLength = maxLength;
    }

    byte code() {
        return code;
    }

    /** True when a body of this type may have that length. */
    public boolean allows(int bodyLength) {
        return bodyLength >= minLength && bodyLength <= maxLength;
    }

    /** The type of a code, or null. */
    public static ControlType of(int code) {
        return code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
