package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoEvent;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import io.rocketbufs.memory.Vecs;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;

/**
 * A JDK channel registered with a selector.
 *
 * <p>The selector reports a ready operation on every selection, and an interest set can be changed only between
 * selections. Therefore only the worker changes the interest set. It removes the write operation as soon as it has been
 * reported. Another thread that waits for space to write queues a task that adds the operation again.
 */
final class NioSocket implements TcpSocket, NioIoHandle {
    private final SocketChannel channel;
    private final Runnable switchWriteOn = this::switchWriteOn;
    private final NioView reading = new NioView();
    private final NioView[] views = new NioView[TcpSocket.VECS_PER_WRITE];
    private final ByteBuffer[] gathered = new ByteBuffer[1 + TcpSocket.VECS_PER_WRITE];
    private ByteBuffer header;
    private int first;
    private int count;

    private TcpWorker worker;
    private TcpReadiness readiness;
    private IoRegistration registration;
    private boolean waitsToRead = true;
    private boolean isStopped;
    private boolean waitsToWrite;

    private NioSocket(SocketChannel channel) {
        this.channel = channel;
    }

    /** Creates a socket that owns the channel. On failure, closes the channel. */
    static NioSocket of(SocketChannel channel, TcpSettings settings) throws IOException {
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            setLength(channel, StandardSocketOptions.SO_SNDBUF, settings.sendBuffer());
            setLength(channel, StandardSocketOptions.SO_RCVBUF, settings.receiveBuffer());
            return new NioSocket(channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static void setLength(SocketChannel channel, SocketOption<Integer> option, int length) throws IOException {
        if (length > 0) {
            channel.setOption(option, length);
        }
    }

    @Override
    public boolean connect(InetSocketAddress address) throws IOException {
        return channel.connect(address);
    }

    @Override
    public boolean finishConnect() throws IOException {
        return channel.finishConnect();
    }

    @Override
    public void register(TcpWorker worker) throws IOException {
        this.worker = worker;
        registration = worker.register(this);
    }

    @Override
    public void connecting(TcpReadiness readiness) {
        this.readiness = readiness;
        registration.submit(NioIoOps.CONNECT);
    }

    @Override
    public void established(TcpReadiness readiness, ByteBuffer scratch, long address) {
        this.readiness = readiness;
        header = scratch.duplicate().order(ByteOrder.BIG_ENDIAN);
        for (int i = 0; i < views.length; i++) {
            views[i] = new NioView();
        }
        submit();
    }

    private void submit() {
        if (waitsToRead && !isStopped) {
            registration.submit(waitsToWrite ? NioIoOps.READ_AND_WRITE : NioIoOps.READ);
        } else {
            registration.submit(waitsToWrite ? NioIoOps.WRITE : NioIoOps.NONE);
        }
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        NioIoOps ready = ((NioIoEvent) event).ops();
        if (ready.contains(NioIoOps.CONNECT)) {
            readiness.writable();
            return;
        }
        if (ready.contains(NioIoOps.WRITE)) {
            waitsToWrite = false;
            submit();
            readiness.writable();
        }
        if (ready.contains(NioIoOps.READ)) {
            readiness.readable(false);
        }
    }

    @Override
    public SelectableChannel selectableChannel() {
        return channel;
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) channel.socket().getLocalSocketAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return (InetSocketAddress) channel.socket().getRemoteSocketAddress();
    }

    @Override
    public int read(ByteBuffer window, int offset, int length, long address) throws IOException {
        return channel.read(reading.of(window, offset, length));
    }

    @Override
    public void reportReadable(boolean on) {
        waitsToRead = on;
        submit();
    }

    @Override
    public void stopReading() {
        isStopped = true;
        submit();
    }

    @Override
    public void gather(long frameHeader, Vecs vecs) {
        gathered[0] = header.clear().limit(TcpFrameLayout.HEADER_LENGTH).putLong(0, frameHeader);
        count = 1 + vecs.count();
        for (int i = 1; i < count; i++) {
            gathered[i] = views[i - 1].of(vecs.window(i - 1), vecs.offset(i - 1), vecs.length(i - 1));
        }
        first = 0;
    }

    @Override
    public void gather(ByteBuffer window, int offset, int length, long address) {
        gathered[0] = views[0].of(window, offset, length);
        count = 1;
        first = 0;
    }

    @Override
    public long write() throws IOException {
        long written = channel.write(gathered, first, count - first);
        while (first < count - 1 && !gathered[first].hasRemaining()) {
            first++;
        }
        return written;
    }

    @Override
    public void awaitWritable() {
        if (worker.inWorker()) {
            switchWriteOn();
        } else {
            worker.execute(switchWriteOn);
        }
    }

    private void switchWriteOn() {
        waitsToWrite = true;
        submit();
    }

    @Override
    public void allWritten() {
        // The worker has already removed the write operation from the interest set.
    }

    @Override
    public void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    @Override
    public void close() {
        if (registration != null) {
            registration.cancel();
        }
        TcpFailures.closeQuietly(channel::close);
    }
}
