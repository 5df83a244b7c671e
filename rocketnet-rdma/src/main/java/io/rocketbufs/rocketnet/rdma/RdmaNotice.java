package io.rocketbufs.rocketnet.rdma;

/** The first byte of every message, which is the type of the message. */
final class RdmaNotice {
    /** The last or only part of a control message. */
    static final byte CONTROL = 0;
    /** A part of a control message that the next message continues. */
    static final byte CONTROL_MORE = 1;
    /** The sender has used up the receives that it knows of; requests {@link #RECEIVES}. */
    static final byte STARVING = 2;
    /** The word of receives has been written; answers {@link #STARVING}. */
    static final byte RECEIVES = 3;
    /** The sender has finished sending. */
    static final byte FINISH = 4;

    /** Total length of the longest control message in bytes, including all its parts. */
    static final int LONGEST_CONTROL = 16 * 1024;

    private RdmaNotice() {}
}
