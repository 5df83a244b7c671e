package io.rocketbufs.wire;

/** The types of control messages, with the minimum and maximum length of each type's body. */
public enum ControlType {
    /** The first message that each side sends: {@link HelloLayout}. */
    HELLO(1, HelloLayout.FIXED_LENGTH, HelloLayout.FIXED_LENGTH + HelloLayout.MAX_GREETING_LENGTH),
    /** Requests a subscription to a buffer: {@link SubscribeLayout}. */
    SUBSCRIBE(2, SubscribeLayout.LENGTH, SubscribeLayout.LENGTH),
    /** Accepts a SUBSCRIBE; the buffer's data will be sent: {@link SubscribedLayout}. */
    SUBSCRIBED(3, SubscribedLayout.LENGTH, SubscribedLayout.LENGTH),
    /** Refuses a SUBSCRIBE; the buffer's data will not be sent: {@link TextLayout}. */
    SUBSCRIBE_REFUSED(4, TextLayout.FIXED_LENGTH, TextLayout.MAX_LENGTH),
    /** Ends a subscription at the subscriber's request: {@link PositionLayout}. */
    UNSUBSCRIBE(5, PositionLayout.LENGTH, PositionLayout.LENGTH),
    /**
     * Confirms that no more data follows for an unsubscribed tag, so that the tag's memory may be reused:
     * {@link PositionLayout}.
     */
    UNSUBSCRIBED(6, PositionLayout.LENGTH, PositionLayout.LENGTH),
    /** States the absolute position up to which a subscriber has consumed data: {@link PositionLayout}. */
    CREDIT(7, PositionLayout.LENGTH, PositionLayout.LENGTH),
    /**
     * Requests a credit update as soon as a position is consumed, because the sender cannot continue:
     * {@link PositionLayout}.
     */
    STARVING(8, PositionLayout.LENGTH, PositionLayout.LENGTH),
    /** Reports that data was skipped at a position: {@link GapLayout}. */
    GAP(9, GapLayout.LENGTH, GapLayout.LENGTH),
    /** Ends a buffer at a position: {@link PositionLayout}. */
    END(10, PositionLayout.LENGTH, PositionLayout.LENGTH),
    /** Carries a message from the application. */
    APPLICATION(11, 0, ControlLayout.MAX_BODY_LENGTH),
    /** Shows that the sender is alive. */
    PING(12, 0, 0),
    /** Closes the connection gracefully, with a reason: {@link TextLayout}. */
    GOODBYE(13, TextLayout.FIXED_LENGTH, TextLayout.MAX_LENGTH),
    /** Ends a subscription from the sender's side, deliberately or after a failure: {@link TextLayout}. */
    SUBSCRIPTION_FAILED(14, TextLayout.FIXED_LENGTH, TextLayout.MAX_LENGTH),
    /**
     * Requests a credit update once a position is consumed, because the sender's application is waiting for it:
     * {@link PositionLayout}.
     */
    FLUSH(15, PositionLayout.LENGTH, PositionLayout.LENGTH),
    /**
     * States the offset at which the next writes to granted memory continue, if the receiver places them:
     * {@link SeekLayout}.
     */
    SEEK(16, SeekLayout.LENGTH, SeekLayout.LENGTH),
    /** Requests bytes of granted memory: {@link ReadLayout}. */
    READ_REQUEST(17, ReadLayout.LENGTH, ReadLayout.LENGTH),
    /** Requests an atomic operation on granted memory: {@link AtomicLayout}. */
    ATOMIC_REQUEST(18, AtomicLayout.REQUEST_LENGTH, AtomicLayout.REQUEST_LENGTH),
    /** Answers an ATOMIC_REQUEST: {@link AtomicLayout}. */
    ATOMIC_ANSWER(19, AtomicLayout.ANSWER_LENGTH, AtomicLayout.ANSWER_LENGTH),
    /** Requests that a grant no longer be used: {@link RevokeLayout}. */
    REVOKE(20, RevokeLayout.LENGTH, RevokeLayout.LENGTH),
    /** Confirms that a revoked grant is no longer in use: {@link RevokeLayout}. */
    REVOKED(21, RevokeLayout.LENGTH, RevokeLayout.LENGTH);

    private static final ControlType[] BY_CODE = new ControlType[22];

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

    /** Returns true if a body of this type may have the given length. */
    public boolean allows(int bodyLength) {
        return bodyLength >= minLength && bodyLength <= maxLength;
    }

    /** Returns the type with the given code, or null if the code is unknown. */
    public static ControlType of(int code) {
        return code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
