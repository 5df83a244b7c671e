package io.rocketbufs.rocketnet.tcp;

import io.netty.channel.IoHandlerFactory;
import io.rocketbufs.memory.Vecs;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** A wrapper around an I/O implementation, whose accepted sockets a test can fill and observe. */
final class SteeredIo implements TcpIo {
    /** While true, accepted sockets have no space, although the kernel reports space. */
    volatile boolean isFull;
    /** Number of times that an accepted socket has reported that there is data to read. */
    final AtomicInteger readableCount = new AtomicInteger();

    private final TcpIo io;

    SteeredIo(TcpIo io) {
        this.io = io;
    }

    @Override
    public IoHandlerFactory handlerFactory() {
        return io.handlerFactory();
    }

    @Override
    public TcpSocket newSocket(InetSocketAddress address) throws IOException {
        return io.newSocket(address);
    }

    @Override
    public TcpServerSocket listen(InetSocketAddress address, int backlog) throws IOException {
        return new TlsServerSocket(io.listen(address, backlog), SteeredSocket::new);
    }

    @Override
    public void close() {
        io.close();
    }

    /** An accepted socket. */
    private final class SteeredSocket implements TcpSocket {
        private final TcpSocket socket;

        SteeredSocket(TcpSocket socket) {
            this.socket = socket;
        }

        @Override
        public boolean connect(InetSocketAddress address) throws IOException {
            return socket.connect(address);
        }

        @Override
        public void register(TcpWorker worker) throws IOException {
            socket.register(worker);
        }

        @Override
        public void connecting(TcpReadiness readiness) {
            socket.connecting(readiness);
        }

        @Override
        public boolean finishConnect() throws IOException {
            return socket.finishConnect();
        }

        @Override
        public void established(TcpReadiness readiness, ByteBuffer scratch, long address) {
            socket.established(
                    new TcpReadiness() {
                        @Override
                        public void readable(boolean ended) {
                            readableCount.incrementAndGet();
                            readiness.readable(ended);
                        }

                        @Override
                        public void writable() {
                            readiness.writable();
                        }
                    },
                    scratch,
                    address);
        }

        @Override
        public InetSocketAddress localAddress() {
            return socket.localAddress();
        }

        @Override
        public InetSocketAddress remoteAddress() {
            return socket.remoteAddress();
        }

        @Override
        public int read(ByteBuffer window, int offset, int length, long address) throws IOException {
            return socket.read(window, offset, length, address);
        }

        @Override
        public void reportReadable(boolean on) {
            socket.reportReadable(on);
        }

        @Override
        public void stopReading() {
            socket.stopReading();
        }

        @Override
        public void gather(long header, Vecs vecs) {
            socket.gather(header, vecs);
        }

        @Override
        public void gather(ByteBuffer window, int offset, int length, long address) {
            socket.gather(window, offset, length, address);
        }

        @Override
        public long write() throws IOException {
            return isFull ? 0 : socket.write();
        }

        @Override
        public void awaitWritable() {
            socket.allWritten(); // makes the kernel report again the space that a full socket has not used
            socket.awaitWritable();
        }

        @Override
        public void allWritten() {
            socket.allWritten();
        }

        @Override
        public boolean endWaits() {
            return socket.endWaits();
        }

        @Override
        public void shutdownOutput() throws IOException {
            socket.shutdownOutput();
        }

        @Override
        public void close() {
            socket.close();
        }
    }
}
