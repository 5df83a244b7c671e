package io.rocketbufs.rocketnet.tcp;

import static io.netty.channel.epoll.EpollIoOps.EPOLLET;
import static io.netty.channel.epoll.EpollIoOps.EPOLLIN;
import static io.netty.channel.epoll.EpollIoOps.EPOLLOUT;
import static io.netty.channel.epoll.EpollIoOps.EPOLLRDHUP;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import io.rocketbufs.memory.Vecs;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.NotYetConnectedException;

/**
 * A stream socket in an epoll set.
 *
 * <p>The registration is edge-triggered: each event is reported only once. A connection therefore does not keep the
 * loop busy while it is not read or while another thread holds its sending side.
 *
 * <p>After an incomplete write, the thread that holds the sending side adds {@code EPOLLOUT} to the registration. After
 * the next complete write, it removes {@code EPOLLOUT}. The worker must not remove it, because that could undo a more
 * recent change by another thread. Each change to the registration makes the kernel report the current state, so no
 * event is missed. {@code EPOLLOUT} is not registered permanently: if it were, every event would report both
 * directions, and arriving data would look like space to write.
 *
 * <p>The layout of the scratch memory:
 *
 * <pre>
 *   0  17 struct iovec { address, length }, in native byte order
 * 272  header of the frame
 * </pre>
 */
final class EpollSocket implements TcpSocket, EpollIoHandle {
    private static final EpollIoOps READ = EPOLLIN.with(EPOLLRDHUP).with(EPOLLET);
    private static final EpollIoOps READ_AND_WRITE = READ.with(EPOLLOUT);
    private static final int IN = EPOLLIN.value();
    private static final int OUT = EPOLLOUT.value();

    private static final int IOVEC_LENGTH = 16;
    private static final int IOVEC_LENGTH_OFFSET = 8;
    private static final int HEADER_OFFSET = (1 + TcpSocket.VECS_PER_WRITE) * IOVEC_LENGTH;

    private final Socket socket;
    private final TcpSettings settings;
    private final InetSocketAddress peer;
    /** The address to which this socket connects; null if it was accepted. */
    private InetSocketAddress target;

    private ByteBuffer iovecs;
    private ByteBuffer header;
    private long iovecsAddress;
    private long headerAddress;
    private int iovec;
    private int iovecCount;
    private long rest;

    private IoRegistration registration;
    private TcpReadiness readiness;
    private boolean awaitingWritable;

    /**
     * Creates a socket.
     *
     * @param peer the peer's address if the socket was accepted, null if it will connect. The address is stored because
     *     the kernel no longer returns it once the peer has disconnected
     */
    EpollSocket(Socket socket, TcpSettings settings, InetSocketAddress peer) {
        this.socket = socket;
        this.settings = settings;
        this.peer = peer;
    }

    @Override
    public FileDescriptor fd() {
        return socket;
    }

    @Override
    public boolean connect(InetSocketAddress address) throws IOException {
        setOptions();
        target = address;
        return socket.connect(address);
    }

    @Override
    public boolean finishConnect() throws IOException {
        return socket.finishConnect();
    }

    void setOptions() throws IOException {
        socket.setTcpNoDelay(true);
        if (settings.sendBuffer() > 0) {
            socket.setSendBufferSize(settings.sendBuffer());
        }
        if (settings.receiveBuffer() > 0) {
            socket.setReceiveBufferSize(settings.receiveBuffer());
        }
    }

    @Override
    public void register(TcpWorker worker) throws IOException {
        registration = worker.register(this);
    }

    @Override
    public void connecting(TcpReadiness readiness) {
        this.readiness = readiness;
        registration.submit(READ_AND_WRITE);
    }

    @Override
    public void established(TcpReadiness readiness, ByteBuffer scratch, long address) {
        this.readiness = readiness;
        useScratch(scratch, address);
        registration.submit(READ);
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        int ready = ((EpollIoEvent) event).ops().value();
        if ((ready & OUT) != 0) {
            readiness.writable();
        }
        int others = ready & ~OUT;
        if (others != 0) {
            readiness.readable(others != IN);
        }
    }

    /** Sets the scratch memory. */
    private void useScratch(ByteBuffer scratch, long address) {
        iovecs = scratch.duplicate().order(ByteOrder.nativeOrder());
        iovecsAddress = address;
        header = scratch.duplicate().order(ByteOrder.BIG_ENDIAN);
        headerAddress = address + HEADER_OFFSET;
    }

    @Override
    public InetSocketAddress localAddress() {
        return socket.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        if (peer != null) {
            return peer;
        }
        InetSocketAddress current = socket.remoteAddress();
        return current == null ? target : current;
    }

    @Override
    public int read(ByteBuffer window, int offset, int length, long address) throws IOException {
        return socket.recvAddress(address, 0, length);
    }

    @Override
    public void stopReading() {
        // Nothing to do: each event is reported only once.
    }

    @Override
    public void gather(long frameHeader, Vecs vecs) {
        header.putLong(HEADER_OFFSET, frameHeader);
        put(0, headerAddress, TcpFrameLayout.HEADER_LENGTH);
        int count = vecs.count();
        for (int i = 0; i < count; i++) {
            put(i + 1, vecs.address(i), vecs.length(i));
        }
        iovec = 0;
        iovecCount = count + 1;
        rest = TcpFrameLayout.HEADER_LENGTH + vecs.totalLength();
    }

    @Override
    public void gather(ByteBuffer window, int offset, int length, long address) {
        put(0, address, length);
        iovec = 0;
        iovecCount = 1;
        rest = length;
    }

    private void put(int i, long address, long length) {
        iovecs.putLong(i * IOVEC_LENGTH, address);
        iovecs.putLong(i * IOVEC_LENGTH + IOVEC_LENGTH_OFFSET, length);
    }

    @Override
    public long write() throws IOException {
        long written = socket.writevAddresses(iovecsAddress + (long) iovec * IOVEC_LENGTH, iovecCount - iovec);
        rest -= written;
        if (rest != 0) {
            drop(written);
        }
        return written;
    }

    private void drop(long written) {
        long toDrop = written;
        while (toDrop > 0) {
            long address = iovecs.getLong(iovec * IOVEC_LENGTH);
            long length = iovecs.getLong(iovec * IOVEC_LENGTH + IOVEC_LENGTH_OFFSET);
            if (length > toDrop) {
                put(iovec, address + toDrop, length - toDrop);
                return;
            }
            toDrop -= length;
            iovec++;
        }
    }

    @Override
    public void awaitWritable() {
        if (!awaitingWritable) {
            awaitingWritable = true;
            registration.submit(READ_AND_WRITE);
        }
    }

    @Override
    public void allWritten() {
        if (awaitingWritable) {
            awaitingWritable = false;
            registration.submit(READ);
        }
    }

    @Override
    public void shutdownOutput() throws IOException {
        try {
            socket.shutdown(false, true);
        } catch (NotYetConnectedException e) {
            throw new IOException("shutdown: the connection is closed", e);
        }
    }

    @Override
    public void close() {
        if (registration != null) {
            registration.cancel();
        }
        TcpFailures.closeQuietly(socket::close);
    }
}
