package io.rocketbufs.rocketnet.rdma;

/** The first byte of every message, which says what the message is. */
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

    /** Bytes of the longest control message, all its parts together. */
    static final int LONGEST_CONTROL = 16 * 1024;

    private RdmaNotice() {}
}
