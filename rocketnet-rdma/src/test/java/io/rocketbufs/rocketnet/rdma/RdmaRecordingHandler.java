package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.WriteRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * A handler that takes the place of core at one end of a connection. It grants the peer access to a region, records
 * every call, and closes a failed connection. Messages are text.
 */
final class RdmaRecordingHandler implements TransportHandler {
    final Semaphore writable = new Semaphore(0);
    private final List<String> events = new ArrayList<>();
    private final Region region;
    private final ByteBuffer window;
    private final WriteRequest request = new WriteRequest(1);
    private TransportConnection connection;
    private RemoteAccess granted;
    private RemoteBuffer target;
    private volatile TransportException failure;
    private boolean keepsOpen;

    RdmaRecordingHandler(MemoryPool memory, int capacity) {
        region = memory.allocate(capacity);
        window = region.window(0, capacity);
    }

    RdmaRecordingHandler of(TransportConnection connection) {
        this.connection = connection;
        granted = connection.grant(region, 0, window.capacity() / 2);
        return this;
    }

    TransportConnection connection() {
        return connection;
    }

    /** Returns the access to the memory to which the peer may write. */
    RemoteAccess granted() {
        return granted;
    }

    /** Directs writes to the memory of the other end, which is in the same process. */
    RdmaRecordingHandler writingTo(RdmaRecordingHandler other) {
        return writingTo(other.granted);
    }

    /** Directs writes to the memory that an access describes. */
    RdmaRecordingHandler writingTo(RemoteAccess access) {
        target = connection.remoteBuffer(access, window.capacity() / 2);
        return this;
    }

    /** Stops closing the connection after a failure. */
    void keepOpen() {
        keepsOpen = true;
    }

    /** Writes a text at an offset. Waits while the window is full. */
    PostResult write(int immediate, int offset, String text) throws InterruptedException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int from = window.capacity() / 2;
        window.put(from, bytes);
        PostResult result = PostResult.NO_WINDOW;
        while (result == PostResult.NO_WINDOW) {
            writable.drainPermits();
            request.set(region, target, offset, immediate);
            request.vecs().add(window, from, bytes.length, region.address() + from);
            result = connection.write(request);
            if (result == PostResult.NO_WINDOW) {
                writable.acquire();
            }
        }
        return result;
    }

    /** Returns the text that the peer has written at an offset. */
    String text(int offset, int length) {
        byte[] bytes = new byte[length];
        window.get(offset, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Closes the connection on its worker. */
    void close() {
        connection.worker().execute(connection::close);
    }

    @Override
    public void place(int immediate, int length, Vecs into) {
        throw new AssertionError("place() was called, although the sender chooses the place");
    }

    @Override
    public void arrived(int immediate, int length) {
        record("arrived " + immediate + " " + length);
    }

    @Override
    public void arrivalsEnd() {}

    @Override
    public void control(ByteBuffer message) {
        record("control " + StandardCharsets.UTF_8.decode(message));
    }

    @Override
    public void completed(int count) {
        record("completed " + count);
        writable.release();
    }

    @Override
    public void writable() {
        writable.release();
    }

    @Override
    public void peerFinished() {
        record("finished");
    }

    @Override
    public void failed(TransportException cause) {
        failure = cause;
        record("failed " + cause.code());
        writable.release();
        if (!keepsOpen) {
            connection.close();
        }
    }

    @Override
    public void closed() {
        if (granted != null) {
            connection.revoke(granted);
        }
        region.release();
        record("closed");
    }

    private void record(String event) {
        synchronized (events) {
            events.add(event);
        }
    }

    List<String> events() {
        synchronized (events) {
            return List.copyOf(events);
        }
    }

    /** Returns a condition factory that waits only briefly between attempts. */
    static ConditionFactory await() {
        return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1));
    }

    void awaitEvents(String... expected) {
        await().untilAsserted(() -> assertThat(events()).containsExactly(expected));
    }

    void awaitEvent(String expected) {
        await().untilAsserted(() -> assertThat(events()).contains(expected));
    }

    /** Waits until the connection is closed. Returns the code and the message of its failure. */
    String awaitFailure() {
        await().untilAsserted(() -> assertThat(events()).endsWith("closed"));
        assertThat(failure).isNotNull();
        return failure.code() + " " + failure.getMessage();
    }
}
