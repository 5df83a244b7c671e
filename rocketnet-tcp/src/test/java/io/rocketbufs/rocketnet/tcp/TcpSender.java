package io.rocketbufs.rocketnet.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.WriteRequest;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * A sender on the test's thread that takes the place of core and holds a connection's sending side. Where core would
 * retry later, this class waits.
 */
final class TcpSender {
    private static final long TIMEOUT_S = 60;

    private final TcpRecordingHandler handler;
    private final TransportConnection connection;
    private final Region region;
    private final ByteBuffer window;
    private final WriteRequest request = new WriteRequest(TcpSocket.VECS_PER_WRITE);

    TcpSender(TcpRecordingHandler handler, MemoryPool memory) {
        this.handler = handler;
        connection = handler.connection();
        region = memory.allocate(TcpFrameLayout.LONGEST_WRITE);
        window = region.window(0, TcpFrameLayout.LONGEST_WRITE);
    }

    /** Tries to write once. The next call reuses the memory of the payload. */
    PostResult tryWrite(int immediate, byte[] payload) {
        window.put(0, payload);
        request.set(region, null, 0, immediate);
        request.vecs().add(window, 0, payload.length, region.address());
        return connection.write(request);
    }

    /** Overwrites the payload in local memory with bytes that were never sent. */
    void overwrite() {
        for (int i = 0; i < window.capacity(); i++) {
            window.put(i, (byte) 0xee);
        }
    }

    /** Waits for space, writes, and waits for the completion. */
    void write(int immediate, byte[] payload) throws InterruptedException {
        PostResult result = tryWrite(immediate, payload);
        while (result == PostResult.NO_WINDOW) {
            awaitWritable();
            connection.progress();
            result = tryWrite(immediate, payload);
        }
        if (result == PostResult.POSTED) {
            complete();
        }
    }

    /** Waits for space, writes, and withdraws the write instead of waiting for its completion. */
    void writeAndWithdraw(int immediate, byte[] payload) throws InterruptedException {
        PostResult result = tryWrite(immediate, payload);
        while (result == PostResult.NO_WINDOW) {
            awaitWritable();
            connection.progress();
            result = tryWrite(immediate, payload);
        }
        if (result == PostResult.POSTED) {
            assertThat(connection.withdraw()).isEqualTo(1);
            overwrite();
        }
    }

    /**
     * Writes an empty message and waits for its completion. When this method returns, all earlier data in private
     * memory has been sent.
     */
    void drain() throws InterruptedException {
        write(0, new byte[0]);
    }

    /** Waits for space and sends a control message. */
    void send(byte[] message) throws InterruptedException {
        while (connection.send(ByteBuffer.wrap(message)) == PostResult.NO_WINDOW) {
            awaitWritable();
            connection.progress();
        }
    }

    /** Continues a posted write until it has completed. */
    void complete() throws InterruptedException {
        while (connection.progress() == 0) {
            awaitWritable();
        }
    }

    void awaitWritable() throws InterruptedException {
        if (!handler.writable.tryAcquire(TIMEOUT_S, TimeUnit.SECONDS)) {
            throw new AssertionError("writable() was not called");
        }
    }
}
