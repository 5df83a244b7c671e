package io.rocketbufs.rocketnet.rdma;

/** The types of messages. The first byte of each message is its type. */
final class RdmaNotice {
    /** The last or only part of a control message. */
    static final byte CONTROL = 0;
    /** A part of a control message that continues in the next message. */
    static final byte CONTROL_MORE = 1;
    /** The sender has used up all receives that the peer has reported. The peer answers with {@link #RECEIVES}. */
    static final byte STARVING = 2;
    /** The answer to {@link #STARVING}: the sender has written its number of receives into the peer's word. */
    static final byte RECEIVES = 3;
    /** The sender has finished sending. */
    static final byte FINISH = 4;

    /** Maximum length in bytes of a control message, including all its parts. */
    static final int LONGEST_CONTROL = 16 * 1024;

    private RdmaNotice() {}
}
