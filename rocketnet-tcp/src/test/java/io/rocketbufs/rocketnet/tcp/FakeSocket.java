package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.memory.Vecs;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/** A socket that reads and writes exactly as many bytes at a time as the test specifies. */
final class FakeSocket implements TcpSocket {
    private final Deque<byte[]> toRead = new ArrayDeque<>();
    private final Deque<Integer> spaces = new ArrayDeque<>();
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final Deque<ByteBuffer> gathered = new ArrayDeque<>();
    int awaitedCount;
    int writeCount;
    boolean outputShut;

    /** Adds bytes for the next read. If that read requests fewer bytes, the following read returns the rest. */
    FakeSocket willRead(byte[] bytes) {
        toRead.add(bytes);
        return this;
    }

    /** Sets the number of bytes that each of the next writes accepts. Later writes accept all bytes. */
    FakeSocket willWrite(Integer... lengths) {
        spaces.addAll(java.util.List.of(lengths));
        return this;
    }

    byte[] written() {
        return written.toByteArray();
    }

    @Override
    public int read(ByteBuffer window, int offset, int length, long address) {
        byte[] bytes = toRead.poll();
        if (bytes == null) {
            return 0;
        }
        int count = Math.min(length, bytes.length);
        window.put(offset, bytes, 0, count);
        if (count < bytes.length) {
            toRead.addFirst(java.util.Arrays.copyOfRange(bytes, count, bytes.length));
        }
        return count;
    }

    @Override
    public void gather(long header, Vecs vecs) {
        gathered.clear();
        gathered.add(ByteBuffer.allocate(Long.BYTES).putLong(0, header));
        for (int i = 0; i < vecs.count(); i++) {
            gathered.add(vecs.window(i).slice(vecs.offset(i), vecs.length(i)));
        }
    }

    @Override
    public void gather(ByteBuffer window, int offset, int length, long address) {
        gathered.clear();
        gathered.add(window.slice(offset, length));
    }

    @Override
    public long write() {
        writeCount++;
        int space = spaces.isEmpty() ? Integer.MAX_VALUE : spaces.poll();
        int before = written.size();
        while (space > 0 && !gathered.isEmpty()) {
            ByteBuffer next = gathered.peek();
            for (; space > 0 && next.hasRemaining(); space--) {
                written.write(next.get());
            }
            if (!next.hasRemaining()) {
                gathered.remove();
            }
        }
        return written.size() - before;
    }

    @Override
    public void awaitWritable() {
        awaitedCount++;
    }

    @Override
    public void allWritten() {
        // Nothing to do: this socket sends no notifications.
    }

    @Override
    public void shutdownOutput() {
        outputShut = true;
    }

    @Override
    public boolean connect(InetSocketAddress address) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void register(TcpWorker worker) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void connecting(TcpReadiness readiness) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean finishConnect() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void established(TcpReadiness readiness, ByteBuffer scratch, long address) {
        throw new UnsupportedOperationException();
    }

    @Override
    public InetSocketAddress localAddress() {
        throw new UnsupportedOperationException();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void stopReading() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
