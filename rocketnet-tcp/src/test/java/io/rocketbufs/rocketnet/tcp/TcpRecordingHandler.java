package io.rocketbufs.rocketnet.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportHandler;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * A handler that takes the place of core at one end of a connection. It stores arriving data without gaps in a circular
 * buffer, records every call, and closes a failed connection.
 */
final class TcpRecordingHandler implements TransportHandler {
    /**
     * Maximum length of payloads that are recorded byte by byte. Longer payloads are recorded as a length and a
     * checksum.
     */
    private static final int LONGEST_PRINTED = 16;

    final Semaphore writable = new Semaphore(0);
    private final List<String> events = new ArrayList<>();
    private final int capacity;
    private final Region region;
    private final ByteBuffer window;
    private TransportConnection connection;
    private long position;
    private volatile TransportException failure;
    private Runnable onArrival = () -> {};
    private Runnable onArrivalsEnd = () -> {};
    private Consumer<ByteBuffer> onControl = message -> {};

    TcpRecordingHandler(MemoryPool memory, int capacity) {
        this.capacity = capacity;
        region = memory.allocate(capacity);
        window = region.window(0, capacity);
    }

    TcpRecordingHandler of(TransportConnection connection) {
        this.connection = connection;
        return this;
    }

    /** Sets the position at which the next byte is stored. */
    TcpRecordingHandler startAt(long position) {
        this.position = position;
        return this;
    }

    /** Sets the action that runs after the arrival of a write has been recorded. */
    TcpRecordingHandler onArrival(Runnable action) {
        onArrival = action;
        return this;
    }

    /** Sets the action that runs after an end of arrivals has been recorded. */
    TcpRecordingHandler onArrivalsEnd(Runnable action) {
        onArrivalsEnd = action;
        return this;
    }

    /**
     * Sets the action that receives each control message after it has been recorded, exactly as the transport passed
     * it.
     */
    TcpRecordingHandler onControl(Consumer<ByteBuffer> action) {
        onControl = action;
        return this;
    }

    TransportConnection connection() {
        return connection;
    }

    TransportException failure() {
        return failure;
    }

    @Override
    public void place(int immediate, int length, Vecs into) {
        int offset = (int) (position % capacity);
        int first = Math.min(length, capacity - offset);
        assertThat(into.add(window, offset, first, region.address() + offset)).isTrue();
        assertThat(into.add(window, 0, length - first, region.address())).isTrue();
    }

    @Override
    public void arrived(int immediate, int length) {
        byte[] payload = new byte[length];
        int offset = (int) (position % capacity);
        int first = Math.min(length, capacity - offset);
        window.get(offset, payload, 0, first);
        window.get(0, payload, first, length - first);
        position += length;
        record(arrival(immediate, payload));
        onArrival.run();
    }

    @Override
    public void arrivalsEnd() {
        record("end");
        onArrivalsEnd.run();
    }

    @Override
    public void control(ByteBuffer message) {
        byte[] bytes = new byte[message.remaining()];
        ByteBuffer given = message.slice();
        message.get(bytes);
        record(control(bytes));
        onControl.accept(given);
    }

    @Override
    public void completed(int count) {
        record("completed " + count);
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
        connection.close();
    }

    @Override
    public void closed() {
        record("closed");
    }

    private void record(String event) {
        synchronized (events) {
            events.add(event);
        }
    }

    /** Returns the record of a write. */
    static String arrival(int immediate, byte[] payload) {
        return "arrived " + immediate + " " + print(payload);
    }

    /** Returns the record of a control message. */
    static String control(byte[] message) {
        return "control " + print(message);
    }

    private static String print(byte[] bytes) {
        if (bytes.length <= LONGEST_PRINTED) {
            return HexFormat.of().formatHex(bytes);
        }
        CRC32 checksum = new CRC32();
        checksum.update(bytes);
        return bytes.length + ":" + Long.toHexString(checksum.getValue());
    }

    /** Returns all records except the ends of arrivals, which depend on how the bytes were split. */
    List<String> events() {
        synchronized (events) {
            return events.stream().filter(event -> !event.equals("end")).toList();
        }
    }

    List<String> eventsWithEnds() {
        synchronized (events) {
            return List.copyOf(events);
        }
    }

    /** Returns a condition factory that waits only briefly between attempts. */
    static ConditionFactory await() {
        return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1));
    }

    void awaitEvents(String... expected) {
        awaitEvents(List.of(expected));
    }

    void awaitEvents(List<String> expected) {
        await().untilAsserted(() -> assertThat(events()).isEqualTo(expected));
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

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
