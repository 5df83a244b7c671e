package io.rocketbufs.in;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rocketnet.stub.StubConnection;
import io.rocketbufs.rocketnet.stub.StubPeer;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.session.Session;
import io.rocketbufs.session.StubOwner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that determine which pages input buffers return to the system. Returned pages read as zero. */
class ReturnedPagesTest implements StubOwner, StubSink {
    private static final int CAPACITY = 1 << 20;

    private final MemoryPool pool = new MemoryPool(16 << 20);
    private final StubWorker worker = new StubWorker();
    private final StubConnection connection = new StubConnection(worker, StubTransport.socket(Integer.MAX_VALUE), 7);
    private final Session endpoint = new Session(connection, this, SETTINGS, pool);
    private final Inputs inputs = endpoint.receiveInto(this);
    private int bufferCount;

    ReturnedPagesTest() {
        new StubPeer(connection);
        connection.handledBy(endpoint);
        endpoint.greet(2, new byte[0]);
        worker.run();
    }

    @BeforeEach
    void assumeMmap() {
        assumeTrue(pool.kind().equals("mmap"), "memory is " + pool.kind());
    }

    @AfterEach
    void closePool() {
        pool.close();
    }

    @Test
    void shouldReturnPagesOfABufferThatHasBeenEmptyForAWhile() {
        InputBuffer buffer = full(SubscribeOptions.DEFAULTS);
        buffer.consume(CAPACITY);
        awaitReturn(buffer);
        assertThat(byteAt(buffer, 0)).isOne();

        Vecs placed = new Vecs(2);
        buffer.place(10, placed);
        assertThat(placed.address(0)).isEqualTo(buffer.memory().region().address());
    }

    @Test
    void shouldReturnPagesOfManyBuffers() {
        InputBuffer[] buffers = new InputBuffer[12];
        for (int i = 0; i < buffers.length; i++) {
            buffers[i] = full(SubscribeOptions.DEFAULTS);
            buffers[i].consume(CAPACITY);
        }
        for (InputBuffer buffer : buffers) {
            awaitReturn(buffer);
        }
    }

    @Test
    void shouldKeepThePagesOfDataThatIsNotConsumed() {
        InputBuffer unconsumed = full(SubscribeOptions.DEFAULTS);
        unconsumed.consume(CAPACITY - 1);
        awaitReturnOfAnother();
        assertThat(byteAt(unconsumed, CAPACITY - 1)).isOne();
    }

    @Test
    void shouldKeepThePagesOfAWriteThatTheTransportIsStoring() {
        InputBuffer written = full(SubscribeOptions.DEFAULTS);
        written.consume(CAPACITY);
        written.place(CAPACITY / 2, new Vecs(2));
        awaitReturnOfAnother();
        assertThat(byteAt(written, CAPACITY / 2 - 1)).isOne();

        written.arrived(CAPACITY / 2, false, this);
        assertThat(written.memory().offset(CAPACITY + CAPACITY / 2)).isEqualTo(CAPACITY / 2);
    }

    @Test
    void shouldKeepThePagesOfATransferThatIsPartlyReceived() {
        InputBuffer partly = full(SubscribeOptions.DEFAULTS);
        partly.consume(CAPACITY);
        partly.place(CAPACITY / 2, new Vecs(2));
        partly.arrived(CAPACITY / 2, true, this);
        awaitReturnOfAnother();
        assertThat(byteAt(partly, CAPACITY / 2 - 1)).isOne();
    }

    @Test
    void shouldKeepThePagesOfABufferThatKeepsItsBytes() {
        InputBuffer kept = full(SubscribeOptions.DEFAULTS.withKeep(CAPACITY));
        kept.consume(CAPACITY);
        awaitReturnOfAnother();
        assertThat(byteAt(kept, CAPACITY - 1)).isOne();
    }

    /** Returns a buffer that has received as many bytes as its capacity, and whose memory contains no zeros. */
    private InputBuffer full(SubscribeOptions options) {
        InputBuffer buffer = inputs.subscribe(bufferCount++, CAPACITY, options);
        worker.run();
        for (int offset = 0; offset < CAPACITY; offset++) {
            setByte(buffer, offset);
        }
        buffer.place(CAPACITY, new Vecs(2));
        buffer.arrived(CAPACITY, false, this);
        return buffer;
    }

    /**
     * Waits until another, empty buffer has returned its pages. By then, the buffers under test would also have
     * returned theirs.
     */
    private void awaitReturnOfAnother() {
        InputBuffer other = full(SubscribeOptions.DEFAULTS);
        other.consume(CAPACITY);
        awaitReturn(other);
    }

    private void awaitReturn(InputBuffer buffer) {
        await().until(() -> {
            worker.run(() -> inputs.tick(250));
            return byteAt(buffer, 64 << 10) == 0;
        });
        assertThat(byteAt(buffer, CAPACITY - 1)).isZero();
    }

    private static void setByte(InputBuffer buffer, int offset) {
        buffer.memory().window(0).put(offset, (byte) 1);
    }

    private static byte byteAt(InputBuffer buffer, int offset) {
        return buffer.memory().window(0).get(offset);
    }
}
