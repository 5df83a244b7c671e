package io.rocketbufs.livestream.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Listener;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.Segment;
import io.rocketbufs.livestream.ChunkHeader;
import io.rocketbufs.livestream.ChunkLayout;
import io.rocketbufs.livestream.Running;
import io.rocketbufs.options.BufferOptions;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that write chunks in pieces into a small buffer and compare the chunks that arrive with the originals. */
@Tag("once")
final class ChunkWriterTest {
    private static final int BUFFER = 3;
    private static final int CAPACITY = 10_007; // not a power of two, so that chunks wrap at varying places
    private static final int LIMIT = CAPACITY / 4;

    private final RocketBufs sending = RocketBufs.open(Running.config());
    private final RocketBufs receiving = RocketBufs.open(Running.config());
    private final ROut out = new ROut(sending);
    private final List<byte[]> received = new CopyOnWriteArrayList<>();
    private final List<ChunkHeader> headers = new CopyOnWriteArrayList<>();
    private final ChunkWriter writer = new ChunkWriter(out, BUFFER, LIMIT);

    @AfterEach
    void close() {
        receiving.close();
        out.close();
        sending.close();
    }

    private void connect() throws Exception {
        out.createBuffer(
                BUFFER, CAPACITY, BufferOptions.DEFAULTS.withFlowControl(false).withCoalescing(false));
        Listener listener = new Listener(sending, new InetSocketAddress("127.0.0.1", 0));
        listener.setConnectionCallback(out::addConnection);
        receiving
                .connect(listener.address(), ConnectOptions.as(Role.SUBSCRIBER, connection -> {
                    RIn in = new RIn(connection);
                    in.setDataInCallback((bufferId, data) -> keep(data));
                    in.subscribe(BUFFER, CAPACITY);
                }))
                .get(60, TimeUnit.SECONDS);
        await().until(() -> out.subscriptionCount(BUFFER) == 1);
    }

    private void keep(Segment data) {
        ChunkHeader header = ChunkLayout.read(data, 0);
        assertThat(header).isNotNull();
        assertThat(data.length()).isEqualTo(ChunkLayout.lengthOf(header.length()));
        byte[] payload = new byte[header.length()];
        data.get(ChunkLayout.payloadIndex(), payload, 0, payload.length);
        headers.add(header);
        received.add(payload);
    }

    @Test
    void shouldDeliverOnlyCompleteChunks() throws Exception {
        connect();
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int expected = 0;
        for (int i = 0; i < 3000; i++) {
            byte[] payload = new byte[1 + random.nextInt(LIMIT - ChunkLayout.lengthOf(0))];
            random.nextBytes(payload);
            boolean isCutOff = random.nextInt(4) == 0;
            int length = isCutOff ? random.nextInt(payload.length) : payload.length;
            for (int at = 0; at < length; ) {
                int piece = Math.min(length - at, 1 + random.nextInt(500));
                append(ByteBuffer.wrap(payload, at, piece));
                at += piece;
            }
            if (isCutOff) {
                writer.cancel();
                continue;
            }
            writer.seal(header(i, payload.length));
            expected++;
            int count = expected;
            soon(() -> received.size() == count);
            assertThat(received.get(count - 1)).as("seed %d chunk %d", seed, i).isEqualTo(payload);
            assertThat(headers.get(count - 1).sequence()).as("seed %d", seed).isEqualTo(i);
        }
    }

    private void append(ByteBuffer piece) {
        soon(() -> writer.append(piece) == Append.DONE);
    }

    /**
     * Waits for a condition without Awaitility, which starts a thread for each wait and is too expensive for thousands
     * of waits.
     */
    private static void soon(BooleanSupplier condition) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadlineNs);
            LockSupport.parkNanos(10_000);
        }
    }

    private static ChunkHeader header(int sequence, int length) {
        return new ChunkHeader(BUFFER, 1, sequence, 0, 2_000_000, ChunkLayout.KEY_FRAME, length);
    }

    @Test
    void shouldAcceptTheLongestChunkButNotOneByteMore() {
        out.createBuffer(BUFFER, CAPACITY, BufferOptions.DEFAULTS.withFlowControl(false));
        int longest = LIMIT - ChunkLayout.lengthOf(0);
        assertThat(writer.append(ByteBuffer.allocate(longest + 1))).isEqualTo(Append.TOO_LONG);
        assertThat(writer.append(ByteBuffer.allocate(longest))).isEqualTo(Append.DONE);

        assertThat(writer.append(ByteBuffer.allocate(1))).isEqualTo(Append.TOO_LONG);
        assertThat(writer.length()).isEqualTo(longest);
    }

    @Test
    void shouldBeginANewChunkAfterACancelledOne() {
        out.createBuffer(BUFFER, CAPACITY, BufferOptions.DEFAULTS.withFlowControl(false));
        assertThat(writer.append(ByteBuffer.allocate(100))).isEqualTo(Append.DONE);
        writer.cancel();
        assertThat(writer.isOpen()).isFalse();
        writer.cancel();

        assertThat(writer.append(ByteBuffer.allocate(10))).isEqualTo(Append.DONE);
        assertThat(writer.length()).isEqualTo(10);
    }
}
