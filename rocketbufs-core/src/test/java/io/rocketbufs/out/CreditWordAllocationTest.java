package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.in.InputBuffer;
import io.rocketbufs.in.Inputs;
import io.rocketbufs.in.StubSink;
import io.rocketbufs.memory.AllocatedBytes;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.Start;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.stub.StubConnection;
import io.rocketbufs.rocketnet.stub.StubPeer;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWord;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.session.Session;
import io.rocketbufs.session.StubOwner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that reporting credit through words allocates no objects, either when the sender reads a word or when the
 * receiver writes one.
 */
class CreditWordAllocationTest implements StubOwner, StubSink, StubFanoutOwner {
    private static final int CAPACITY = 1000;
    private static final int LENGTH = 100;
    private static final int COUNT = 20_000;

    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final StubWorker worker = new StubWorker();
    private final StubConnection connection = new StubConnection(worker, StubTransport.words(), 7);
    private final Session endpoint = new Session(connection, this, SETTINGS, pool);
    private long position;

    CreditWordAllocationTest() {
        connection.handledBy(endpoint);
    }

    @AfterEach
    void closePool() {
        pool.close();
    }

    @Test
    void shouldAllocateNothingWhenReadingTheWord() {
        CircularBuffer memory = new CircularBuffer(pool.allocate(CAPACITY), CAPACITY);
        DeliveryLog log = new DeliveryLog(16, false);
        BufferOptions terms =
                new BufferOptions(true, true, SlowPolicy.BLOCK, 0, 1000, 1000, false, false, 4096, 0, false);
        Fanout fanout = new Fanout(1, memory, log, terms, this, null);
        endpoint.greet(1, new byte[0]);
        Subscription subscription = fanout.subscribe(
                endpoint.link(),
                new SubscriptionTerms(
                        3,
                        connection.remoteBuffer(RemoteAccess.NONE, CAPACITY),
                        CAPACITY,
                        Integer.MAX_VALUE,
                        SlowPolicy.BLOCK,
                        false,
                        Start.LIVE,
                        0,
                        500,
                        () -> {}));
        subscription.activate();
        StubWord word = connection.words().get(0);
        assertThat(AllocatedBytes.perCall(6, COUNT, () -> {
                    log.reclaim(fanout.minReleased(), Long.MAX_VALUE, log.end());
                    log.append(position, LENGTH, position, 0, null);
                    position += LENGTH;
                    fanout.announce();
                    fanout.send();
                    worker.run();
                    word.write(position - position % (CAPACITY / 4));
                }))
                .isLessThan(0.5);
        assertThat(subscription.state().sentLength()).isEqualTo(position).isPositive();
    }

    @Test
    void shouldAllocateNothingWhenWritingTheWord() {
        StubPeer peer = new StubPeer(connection);
        peer.lends(new RemoteAccess(77, 5));
        Inputs inputs = endpoint.receiveInto(this);
        endpoint.greet(2, new byte[0]);
        worker.run();
        InputBuffer buffer = inputs.subscribe(5, CAPACITY, SubscribeOptions.DEFAULTS.withTransferLimit(CAPACITY));
        worker.run();
        Runnable send = () -> peer.send(LENGTH);
        assertThat(AllocatedBytes.perCall(6, COUNT, () -> {
                    worker.run(send);
                    buffer.consume(LENGTH);
                    position += LENGTH;
                }))
                .isLessThan(0.5);
        assertThat(position - peer.wordPosition()).isBetween(0L, CAPACITY / 4L);
        assertThat(peer.creditCount()).isZero();
    }
}
