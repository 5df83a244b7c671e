package io.rocketbufs.rocketnet.shm;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A non-blocking Unix socket that preserves packet boundaries (SOCK_SEQPACKET). It sets up a connection, wakes the
 * peer, passes descriptors of shared memory, and detects when the peer disconnects.
 *
 * <p>A wake-up is a one-byte packet. A shared eventfd is not used, because a peer could set it to blocking mode and
 * block the worker that wakes the peer. The two ends of a socket have separate flags.
 *
 * <p><b>Thread-safety:</b> any thread may call {@link #wake()} and {@link #send} while the socket is open; other
 * methods belong to the worker. <b>Ownership:</b> owns the descriptor.
 */
final class ShmSocket {
    /** Maximum number of bytes in the path of a Unix socket. */
    static final int MAX_PATH_LENGTH = 107;

    private static final int AF_UNIX = 1;
    private static final int SOCK_SEQPACKET = 5;
    private static final int SOCK_NONBLOCK = 0x800;
    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int SOL_SOCKET = 1;
    private static final int SCM_RIGHTS = 1;
    private static final int SHUT_RDWR = 2;
    private static final int MSG_CTRUNC = 0x8;
    private static final int MSG_TRUNC = 0x20;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_CMSG_CLOEXEC = 0x40000000;

    // struct sockaddr_un
    private static final int PATH = 2;
    // struct msghdr and struct iovec
    private static final int MSG_IOV = 16;
    private static final int MSG_IOV_COUNT = 24;
    private static final int MSG_CONTROL = 32;
    private static final int MSG_CONTROL_LENGTH = 40;
    private static final int MSG_FLAGS = 48;
    private static final int IOV = 56;
    private static final int IOV_LENGTH = IOV + 8;
    // struct cmsghdr, with one descriptor
    private static final int CMSG = 72;
    private static final int CMSG_LEVEL = CMSG + 8;
    private static final int CMSG_TYPE = CMSG + 12;
    private static final int CMSG_DESCRIPTOR = CMSG + 16;
    private static final int CMSG_LENGTH = 20;
    private static final int MESSAGE_LENGTH = CMSG + 24;

    /** The functions that are called frequently. */
    private static final ShmCalls SEND = ShmCalls.of("send");

    private static final ShmCalls RECVMSG = ShmCalls.of("recvmsg");
    private static final ShmCalls CLOSE = ShmCalls.of("close");

    /** The result of {@link #drain()}. */
    enum Drained {
        /** The peer is still connected. */
        OPEN,
        /** A notice has arrived: {@link #notice}. */
        NOTICE,
        /** The peer has closed the socket, or its process has exited. */
        ENDED
    }

    private final int descriptor;
    private final ByteBuffer wakeUp = ShmCalls.block(1);
    private final long wakeUpAddress = ShmCalls.address(wakeUp);
    private final ByteBuffer notice = ShmCalls.block(ShmNotice.LENGTH);
    /** The message structure for receiving into {@link #notice}. */
    private final ByteBuffer drained = message(notice);

    private final long drainedAddress = ShmCalls.address(drained);
    /** The descriptor that accompanied the last notice; negative if there was none. */
    private int noticeDescriptor;

    private ShmSocket(int descriptor) {
        this.descriptor = descriptor;
    }

    static ShmSocket open() throws ShmException {
        ShmCalls socket = ShmCalls.of("socket");
        int type = SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC;
        return new ShmSocket(socket.check(socket.call(AF_UNIX, type, 0)));
    }

    int descriptor() {
        return descriptor;
    }

    void bind(String path) throws ShmException {
        withAddress("bind", path);
    }

    /** Connects immediately. Returns false if too many connections are waiting to be accepted. */
    boolean connect(String path) throws ShmException {
        try {
            withAddress("connect", path);
            return true;
        } catch (ShmException e) {
            if (e.number() == ShmCalls.EAGAIN) {
                return false;
            }
            throw e;
        }
    }

    private void withAddress(String call, String path) throws ShmException {
        byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
        ByteBuffer address = ShmCalls.block(PATH + MAX_PATH_LENGTH + 1);
        address.putShort(0, (short) AF_UNIX).put(PATH, bytes);
        ShmCalls function = ShmCalls.of(call);
        int length = PATH + bytes.length + 1;
        function.check(function.call(descriptor, ShmCalls.address(address), length));
        Reference.reachabilityFence(address);
    }

    void listen(int backlog) throws ShmException {
        ShmCalls listen = ShmCalls.of("listen");
        listen.check(listen.call(descriptor, backlog));
    }

    /** Accepts a connection. Returns null if no connection is waiting. */
    ShmSocket accept() throws ShmException {
        ShmCalls accept = ShmCalls.of("accept4");
        int accepted = (int) accept.call(descriptor, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (accepted < 0 && (ShmCalls.errno() == ShmCalls.EAGAIN || ShmCalls.errno() == ShmCalls.EINTR)) {
            return null;
        }
        return new ShmSocket(accept.check(accepted));
    }

    /** Reads a socket option of variable length. Returns the number of bytes. */
    int option(int option, ByteBuffer into) throws ShmException {
        ByteBuffer length = ShmCalls.block(Integer.BYTES).putInt(0, into.capacity());
        ShmCalls getsockopt = ShmCalls.of("getsockopt");
        getsockopt.check(
                getsockopt.call(descriptor, SOL_SOCKET, option, ShmCalls.address(into), ShmCalls.address(length)));
        return length.getInt(0);
    }

    /**
     * Sends a packet, accompanied by a descriptor unless {@code passed} is negative. The caller keeps ownership of the
     * buffer and the descriptor.
     */
    void send(ByteBuffer content, int passed) throws ShmException {
        ByteBuffer message = message(content);
        if (passed >= 0) {
            message.putLong(CMSG, CMSG_LENGTH)
                    .putInt(CMSG_LEVEL, SOL_SOCKET)
                    .putInt(CMSG_TYPE, SCM_RIGHTS)
                    .putInt(CMSG_DESCRIPTOR, passed);
        } else {
            message.putLong(MSG_CONTROL, 0).putLong(MSG_CONTROL_LENGTH, 0);
        }
        ShmCalls sendmsg = ShmCalls.of("sendmsg");
        sendmsg.check(sendmsg.call(descriptor, ShmCalls.address(message), MSG_DONTWAIT | MSG_NOSIGNAL));
        Reference.reachabilityFence(message);
        Reference.reachabilityFence(content);
    }

    /**
     * A received packet. {@code length} is 0 once the peer has disconnected; {@code descriptor} is -1 if none
     * accompanied the packet.
     */
    record Packet(int length, int descriptor) {}

    /**
     * Receives a packet of at most the buffer's capacity and one descriptor, which the caller must close. Returns null
     * if no packet is waiting.
     *
     * @throws ShmException if the call fails, or if this process has no free descriptor for the descriptor that the
     *     peer sent
     */
    Packet receive(ByteBuffer content) throws ShmException {
        ByteBuffer message = message(content);
        ShmCalls recvmsg = ShmCalls.of("recvmsg");
        int length = (int) recvmsg.call(descriptor, ShmCalls.address(message), MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        Reference.reachabilityFence(message);
        if (length < 0 && (ShmCalls.errno() == ShmCalls.EAGAIN || ShmCalls.errno() == ShmCalls.EINTR)) {
            return null;
        }
        recvmsg.check(length);
        int received = passedDescriptor(message);
        if (received < 0 && (message.getInt(MSG_FLAGS) & MSG_CTRUNC) != 0) {
            // The kernel drops a descriptor that it cannot pass on, but reports success.
            throw recvmsg.failure(ShmCalls.EMFILE);
        }
        if ((message.getInt(MSG_FLAGS) & (MSG_CTRUNC | MSG_TRUNC)) != 0) {
            closeDescriptor(received);
            return new Packet(length, -1);
        }
        return new Packet(length, received);
    }

    private static int passedDescriptor(ByteBuffer message) {
        boolean passed = message.getLong(MSG_CONTROL_LENGTH) >= CMSG_LENGTH
                && message.getLong(CMSG) == CMSG_LENGTH
                && message.getInt(CMSG_LEVEL) == SOL_SOCKET
                && message.getInt(CMSG_TYPE) == SCM_RIGHTS;
        return passed ? message.getInt(CMSG_DESCRIPTOR) : -1;
    }

    private static ByteBuffer message(ByteBuffer content) {
        ByteBuffer message = ShmCalls.block(MESSAGE_LENGTH);
        long address = ShmCalls.address(message);
        return message.putLong(MSG_IOV, address + IOV)
                .putLong(MSG_IOV_COUNT, 1)
                .putLong(IOV, ShmCalls.address(content))
                .putLong(IOV_LENGTH, content.capacity())
                .putLong(MSG_CONTROL, address + CMSG)
                // The length excludes padding, which could contain a second descriptor.
                .putLong(MSG_CONTROL_LENGTH, CMSG_LENGTH);
    }

    /**
     * Wakes the peer. If the socket's buffer is full, earlier wake-ups are still unread, so this wake-up is not needed.
     * If the peer has disconnected, the worker will detect this.
     */
    void wake() {
        SEND.call(descriptor, wakeUpAddress, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    }

    /**
     * Reads one wake-up or notice, if there is one. If there are more, the kernel reports the socket again. After a
     * notice, the caller must take the descriptor. Allocates nothing.
     */
    Drained drain() {
        drained.putLong(MSG_CONTROL_LENGTH, CMSG_LENGTH);
        int length = (int) RECVMSG.call(descriptor, drainedAddress, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (length < 0) {
            boolean isOpen = ShmCalls.errno() == ShmCalls.EAGAIN || ShmCalls.errno() == ShmCalls.EINTR;
            return isOpen ? Drained.OPEN : Drained.ENDED;
        }
        int flags = drained.getInt(MSG_FLAGS);
        noticeDescriptor = passedDescriptor(drained);
        if (length == ShmNotice.LENGTH && (flags & (MSG_CTRUNC | MSG_TRUNC)) == 0) {
            return Drained.NOTICE;
        }
        // Either the peer has sent a packet that a correct peer never sends, or this process has no room for the
        // descriptor.
        closeDescriptor(noticeDescriptor);
        return length == 0 ? Drained.ENDED : Drained.OPEN;
    }

    /** Returns the notice that has arrived. It is valid until the next call to {@link #drain}. */
    ByteBuffer notice() {
        return notice;
    }

    /**
     * Returns the descriptor that accompanied the notice, or a negative number if there is none. The caller must close
     * the descriptor.
     */
    int noticeDescriptor() {
        return noticeDescriptor;
    }

    /**
     * Shuts down the connection, which the peer detects. Leaves the descriptor open, so that {@link #wake()} can still
     * be called. Fails only if the peer has disconnected.
     */
    void shutDown() {
        ShmCalls.of("shutdown").call(descriptor, SHUT_RDWR);
    }

    void close() {
        closeDescriptor(descriptor);
    }

    /** Closes a descriptor; does nothing if it is negative. */
    static void closeDescriptor(int descriptor) {
        if (descriptor >= 0) {
            CLOSE.call(descriptor);
        }
    }
}
