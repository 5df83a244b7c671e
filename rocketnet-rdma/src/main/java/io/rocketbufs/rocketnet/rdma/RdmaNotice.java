package io.rocketbufs.rocketnet.rdma;

/** The first byte of every message that is sent, and says what it is. */
final class RdmaNotice {
    /** The last part of a control message. */
    static final byte CONTROL = 0;
    /** A part of a control message that goes on with the next. */
    static final byte CONTROL_MORE = 1;
    /** The sender has used up the receives that it knows of; wants {@link #RECEIVES}. */
    static final byte STARVING = 2;
    /** The word of receives has been written; answers {@link #STARVING}. */
    static final byte RECEIVES = 3;
    /** The sender sends nothing any more. */
    static final byte FINISH = 4;

    private RdmaNotice() {}
}
