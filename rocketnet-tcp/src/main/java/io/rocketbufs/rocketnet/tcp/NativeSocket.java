package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import io.rocketbufs.memory.Vecs;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.NotYetConnectedException;

/**
 * A stream socket by the system calls of Netty's native library: all but how it waits and reads.
 *
 * <p>Its part of the scratch memory:
 *
 * <pre>
 *   0  struct iovec { address, length }, 17 of them, in the machine's byte order
 * 272  header of the frame
 * </pre>
 */
abstract class NativeSocket implements TcpSocket {
    private static final int IOVEC_LENGTH = 16;
    private static final int IOVEC_LENGTH_OFFSET = 8;
    private static final int HEADER_OFFSET = (1 + TcpTransport.VECS_PER_WRITE) * IOVEC_LENGTH;

    /** Where the rest of the scratch memory begins. */
    static final int REST_OFFSET = HEADER_OFFSET + TcpFrameLayout.HEADER_LENGTH;

    final Socket socket;
    private final TcpSettings settings;
    private final InetSocketAddress peer;

    private ByteBuffer iovecs;
    private ByteBuffer header;
    private long iovecsAddress;
    private long headerAddress;
    private int iovec;
    private int iovecCount;
    private long rest;

    /**
     * With the peer of a socket that was accepted: the kernel forgets it when the peer breaks off at once; else null.
     */
    NativeSocket(Socket socket, TcpSettings settings, InetSocketAddress peer) {
        this.socket = socket;
        this.settings = settings;
        this.peer = peer;
    }

    /** The descriptor to wait for. */
    public final FileDescriptor fd() {
        return socket;
    }

    @Override
    public boolean connect(InetSocketAddress address) throws IOException {
        setOptions();
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

    /** Keeps the scratch memory. */
    final void useScratch(ByteBuffer scratch, long address) {
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
        return peer == null ? socket.remoteAddress() : peer;
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
    public void shutdownOutput() throws IOException {
        try {
            socket.shutdown(false, true);
        } catch (NotYetConnectedException e) {
            throw new IOException("shutdown: the connection is gone", e);
        }
    }
}
