package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.uring.IoUringIoOps;
import java.nio.ByteBuffer;

/**
 * Operations of io_uring, as in linux/io_uring.h, and the memory that one to receive refers to.
 *
 * <p>An operation is an object. The address and length of what is read change each time, so they are not in it, but in
 * this memory, 64 bits each in the machine's byte order:
 *
 * <pre>
 *  0  struct msghdr: msg_name 0, msg_namelen 0, msg_iov, msg_iovlen 1, msg_control 0, msg_controllen 0, msg_flags
 * 56  struct iovec: address, length
 * </pre>
 */
final class UringLayout {
    /** Bytes of the memory. */
    static final int LENGTH = 72;

    private static final int MSG_IOV = 16;
    private static final int MSG_IOVLEN = 24;
    private static final int IOVEC = 56;
    private static final int IOVEC_LENGTH = IOVEC + Long.BYTES;

    private static final byte IORING_OP_POLL_ADD = 6;
    private static final byte IORING_OP_RECVMSG = 10;
    private static final byte IORING_OP_ASYNC_CANCEL = 14;
    private static final int POLLIN = 1;
    private static final int POLLOUT = 4;

    private UringLayout() {}

    /** Prepares the memory from {@code offset} on for {@link #receive}. */
    static void prepare(ByteBuffer memory, int offset, long address) {
        for (int i = 0; i < LENGTH; i += Long.BYTES) {
            memory.putLong(offset + i, 0);
        }
        memory.putLong(offset + MSG_IOV, address + IOVEC);
        memory.putLong(offset + MSG_IOVLEN, 1);
    }

    /** Says where the next {@link #receive} stores how much at most. */
    static void into(ByteBuffer memory, int offset, long address, long length) {
        memory.putLong(offset + IOVEC, address);
        memory.putLong(offset + IOVEC_LENGTH, length);
    }

    /** Receives once what comes, as the memory at {@code address} says. */
    static IoUringIoOps receive(int descriptor, long address, short tag) {
        return operation(IORING_OP_RECVMSG, descriptor, address, 1, 0, tag);
    }

    /** Reports once that something can be accepted. */
    static IoUringIoOps pollIn(int descriptor, short tag) {
        return operation(IORING_OP_POLL_ADD, descriptor, 0, 0, POLLIN, tag);
    }

    /** Reports once that something can be written, or that there is an end. */
    static IoUringIoOps pollOut(int descriptor, short tag) {
        return operation(IORING_OP_POLL_ADD, descriptor, 0, 0, POLLOUT, tag);
    }

    /** Has an operation that is under way, by what its submission returned, complete soon. */
    static IoUringIoOps cancel(long submission, short tag) {
        return operation(IORING_OP_ASYNC_CANCEL, -1, submission, 0, 0, tag);
    }

    private static IoUringIoOps operation(byte code, int descriptor, long address, int length, int flags, short tag) {
        return new IoUringIoOps(
                code,
                (byte) 0,
                (short) 0,
                descriptor,
                0,
                address,
                length,
                flags,
                (long) tag,
                (short) 0,
                (short) 0,
                0,
                0);
    }
}
