package io.rocketbufs.rocketlog.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.Grant;
import io.rocketbufs.Listener;
import io.rocketbufs.RemoteMemory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.protocol.LeaseMessageLayout;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import io.rocketbufs.rocketnet.Right;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of how a producer uses leased memory, over a connection without a broker. */
@Timeout(600)
class SegmentTargetMemoryTest {
    static final int LENGTH = 1000;
    static final int BATCH = 100;
    /** The order in the order word before the first reservation. */
    static final int ORDER = 5;

    @TempDir
    Path folder;

    private final MemoryPool pool = new MemoryPool(1 << 20);
    private final Region segment = pool.allocate(LENGTH);
    private final List<Region> regions = new ArrayList<>(List.of(segment));
    private final CompletableFuture<Connection> accepted = new CompletableFuture<>();
    private final List<Write> writes = new CopyOnWriteArrayList<>();
    final Link link = new Link();
    final SegmentTarget target = new SegmentTarget("orders", 0, link);
    private RocketBufs rocketBufs;
    private Region word;
    Connection owner;
    Connection user;
    private Grant grant;
    private Grant wordGrant;

    /** A write of which the owner of the memory was notified. */
    record Write(int number, long length) {}

    /** A link whose broker responds when the test requests it. */
    final class Link implements SegmentTarget.Access {
        final List<CompletableFuture<ByteBuffer>> questions = new CopyOnWriteArrayList<>();
        private final AtomicInteger changeCount = new AtomicInteger();
        final AtomicInteger unwrittenCount = new AtomicInteger();

        @Override
        public CompletableFuture<ByteBuffer> ask(int partition) {
            CompletableFuture<ByteBuffer> answer = new CompletableFuture<>();
            questions.add(answer);
            return answer;
        }

        @Override
        public Connection connection() {
            return user;
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public boolean isPrivate() {
            return false;
        }

        @Override
        public long delayMs() {
            return 60_000;
        }

        @Override
        public void onChange() {
            changeCount.incrementAndGet();
        }

        @Override
        public void onUnwritten() {
            unwrittenCount.incrementAndGet();
        }

        @Override
        public void onRefused(LogClientException cause) {
            throw cause;
        }
    }

    /** Returns the settings for both sides. */
    String settings() {
        return "";
    }

    /** Returns true if the producer changes the order word itself. */
    boolean isWordShared() {
        return false;
    }

    /** Creates the memory of the order word. The caller must release it. */
    Region createWord() throws IOException {
        return pool.allocate(OrderWordLayout.LENGTH);
    }

    /** Called when the order word has been granted. */
    void onWordGranted() throws IOException {}

    @BeforeEach
    void connect() throws IOException {
        word = createWord();
        regions.add(word);
        rocketBufs = RocketBufs.open(RunningLogBroker.config(folder, settings()));
        Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        listener.setConnectionCallback(accepted::complete);
        user = rocketBufs
                .connect(listener.address(), ConnectOptions.as(Role.PEER, connection -> {}))
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
        owner = accepted.orTimeout(30, TimeUnit.SECONDS).join();
    }

    @AfterEach
    void close() {
        rocketBufs.close();
        regions.forEach(Region::release);
        pool.close();
    }

    /** Responds to the target's request with an exclusive lease. */
    private void lend() {
        grant = owner.grant(segment, 0, LENGTH, Set.of(Right.WRITE), this::onWritten);
        answer(LeaseMessageLayout.acquired(1, grant.description(), null));
    }

    /** Responds to the target's request with a shared lease. The next free place is at the given position. */
    void share(long position) throws IOException {
        word.window(0, OrderWordLayout.LENGTH)
                .duplicate()
                .order(ByteOrder.nativeOrder())
                .putLong(0, ORDER * OrderWordLayout.reservation(0) + position);
        grant = owner.grant(segment, 0, LENGTH, Set.of(Right.WRITE), this::onWritten);
        wordGrant = owner.grant(word, 0, OrderWordLayout.LENGTH, Set.of(Right.ATOMIC), GrantCallback.NONE);
        onWordGranted();
        answer(LeaseMessageLayout.acquired(1, grant.description(), wordGrant.description()));
    }

    private void onWritten(int number, long length) {
        writes.add(new Write(number, length));
    }

    private void answer(ByteBuffer answer) {
        assertThat(send(1, false)).isEqualTo(SegmentTarget.Outcome.WAIT);
        assertThat(link.questions).hasSize(1);
        assertThat(send(1, false)).isEqualTo(SegmentTarget.Outcome.WAIT);
        link.questions.get(0).complete(answer);
        assertThat(link.changeCount).hasValue(1);
    }

    private ProducerBatch batch(int content) {
        Region region = pool.allocate(BATCH);
        regions.add(region);
        ProducerBatch batch = new ProducerBatch(region, BATCH);
        batch.length = BATCH;
        for (int i = 0; i < BATCH; i++) {
            batch.memory.put(i, (byte) content);
        }
        return batch;
    }

    /** Sends a batch that is filled with the given byte. */
    SegmentTarget.Outcome send(int content, boolean isUnderWay) {
        return target.send(batch(content), isUnderWay);
    }

    private SegmentTarget.Outcome sendAgain(boolean isUnderWay) {
        ProducerBatch batch = batch(9);
        batch.wasSent = true;
        return target.send(batch, isUnderWay);
    }

    void sendBatches(int count) {
        for (int i = 1; i <= count; i++) {
            assertThat(send(i, i > 1)).isEqualTo(SegmentTarget.Outcome.SENT);
        }
    }

    void awaitWrites(Write... expected) {
        await().until(() -> writes.size() >= expected.length);
        assertThat(writes).containsExactly(expected);
    }

    void assertContent(int position, int content) {
        ByteBuffer window = segment.window(0, LENGTH);
        for (int i = 0; i < BATCH; i++) {
            assertThat(window.get(position + i)).isEqualTo((byte) content);
        }
    }

    @Test
    void shouldWriteBatchesOneAfterAnotherWhenTheLeaseIsExclusive() {
        lend();
        sendBatches(3);
        awaitWrites(new Write(0, BATCH), new Write(1, BATCH), new Write(2, BATCH));
        assertContent(0, 1);
        assertContent(BATCH, 2);
        assertContent(2 * BATCH, 3);
        assertThat(target.takeUnwritten()).isZero();
    }

    @Test
    void shouldUseTheRingForSomeTimeWhenItsMemoryHasBeenRevoked() {
        lend();
        sendBatches(1);
        grant.revoke(30_000).orTimeout(30, TimeUnit.SECONDS).join();
        await().until(() -> link.changeCount.get() > 1);
        assertThat(send(2, true)).isEqualTo(SegmentTarget.Outcome.WAIT);
        assertThat(send(2, false)).isEqualTo(SegmentTarget.Outcome.USE_RING);
        assertThat(link.questions).hasSize(1);
        assertThat(target.takeUnwritten()).isZero();
    }

    @Test
    void shouldWriteBatchesToThePlacesThatItHasReserved() throws IOException {
        share(200);
        sendBatches(3);
        awaitWrites(new Write(ORDER, BATCH), new Write(ORDER + 1, BATCH), new Write(ORDER + 2, BATCH));
        assertContent(200, 1);
        assertContent(300, 2);
        assertContent(400, 3);
        assertThat(target.takeUnwritten()).isZero();
    }

    @Test
    void shouldGiveBackTheBatchesThatDoNotFitAndReportTheFirstOfThem() throws IOException {
        share(LENGTH - BATCH - 50);
        Block block = new Block(); // until all three have been sent, the producer must not know their places
        block.awaitBegin();
        sendBatches(3);
        block.end();
        await().until(() -> link.unwrittenCount.get() == 1);
        assertThat(send(4, false)).as("before the others").isEqualTo(SegmentTarget.Outcome.WAIT);
        assertThat(target.takeUnwritten()).isEqualTo(2);
        assertThat(target.takeUnwritten()).isZero();
        awaitWrites(new Write(ORDER, BATCH), new Write(ORDER + 1, 0));
        assertContent(LENGTH - BATCH - 50, 1);
        assertThat(send(2, true)).isEqualTo(SegmentTarget.Outcome.WAIT);
        assertThat(link.questions).as("asks when nothing is under way").hasSize(1);
        assertThat(send(2, false)).isEqualTo(SegmentTarget.Outcome.WAIT);
        assertThat(link.questions).hasSize(2);
    }

    /**
     * The reserved places remain empty, because the reservations reach the owner after it has started the revocation.
     */
    @Test
    void shouldGiveBackTheBatchesWhosePlacesItDoesNotKnowWhenTheMemoryIsTakenBack() throws IOException {
        assumeFalse(isWordShared(), "it knows the places");
        share(200);
        Block first = new Block();
        first.awaitBegin();
        Block second = new Block(); // the worker runs this and the revocations without reading in between
        CompletableFuture<?> end = CompletableFuture.allOf(grant.revoke(30_000), wordGrant.revoke(30_000));
        first.end();
        second.awaitBegin();
        sendBatches(3);
        second.end();
        end.orTimeout(30, TimeUnit.SECONDS).join();
        await().until(() -> link.unwrittenCount.get() == 1);
        assertThat(target.takeUnwritten()).isEqualTo(3);
        assertThat(writes).isEmpty();
        assertThat(OrderWordLayout.order(wordValue())).as("reserved").isEqualTo(ORDER + 3);
        assertThat(send(1, false)).isEqualTo(SegmentTarget.Outcome.WAIT);
        assertThat(link.questions).as("the memory may have been full").hasSize(2);
    }

    @Test
    void shouldWriteOnlyToTheMemoryRegardlessOfTheValueOfTheOrderWord() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        assumeFalse(isWordShared(), "the test provides the values");
        AtomicInteger arrived = new AtomicInteger();
        AtomicInteger whole = new AtomicInteger();
        grant = owner.grant(segment, 0, LENGTH, Set.of(Right.WRITE), (number, length) -> {
            whole.addAndGet(length == BATCH ? 1 : 0);
            arrived.incrementAndGet();
        });
        wordGrant = owner.grant(word, 0, OrderWordLayout.LENGTH, Set.of(Right.ATOMIC), GrantCallback.NONE);
        RemoteMemory memory = user.remoteMemory(grant.description(), (context, value) -> {});
        RemoteMemory reserved = user.remoteMemory(wordGrant.description(), (context, value) -> {});
        ProducerBatch batch = batch(1);
        int fullCount = 0;
        int sentCount = 0;
        SharedSegment shared = new SharedSegment(memory, reserved);
        while (sentCount + fullCount < 10_000) {
            if (shared.send(batch) == DirectSegment.Outcome.WAIT) {
                continue;
            }
            long value = random.nextInt(3) == 0
                    ? random.nextLong() >> random.nextInt(Long.SIZE)
                    : random.nextInt(2 * LENGTH);
            DirectSegment.Outcome outcome = shared.onReserved(value);
            while (outcome == DirectSegment.Outcome.WAIT) {
                outcome = shared.write();
            }
            assertThat(outcome).as("seed %d", seed).isNotEqualTo(DirectSegment.Outcome.LOST);
            sentCount += outcome == DirectSegment.Outcome.SENT ? 1 : 0;
            if (outcome == DirectSegment.Outcome.FULL) {
                fullCount++;
                shared = new SharedSegment(memory, reserved);
            }
        }
        int count = sentCount + fullCount;
        await().until(() -> arrived.get() == count);
        assertThat(whole).hasValue(sentCount);
        assertThat(sentCount).isBetween(1000, count - 1000);
        assertThat(owner.isOpen()).isTrue();
    }

    /** A task that keeps the owner's worker busy until it is ended. */
    final class Block {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch ended = new CountDownLatch(1);

        Block() {
            owner.execute(() -> {
                begun.countDown();
                await(ended);
            });
        }

        void awaitBegin() {
            await(begun);
        }

        void end() {
            ended.countDown();
        }

        private static void await(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    long wordValue() {
        return owner.atomicCell(word, 0).value();
    }

    @Test
    void shouldUseOnlyOneWayForTheBatchesUnderWay() throws IOException {
        share(0);
        sendBatches(1);
        assertThat(sendAgain(true)).as("for the ring").isEqualTo(SegmentTarget.Outcome.WAIT);
        assertThat(sendAgain(false)).isEqualTo(SegmentTarget.Outcome.USE_RING);
        assertThat(send(2, true)).as("behind the ring").isEqualTo(SegmentTarget.Outcome.WAIT);
        assertThat(send(2, false)).isEqualTo(SegmentTarget.Outcome.SENT);
        awaitWrites(new Write(ORDER, BATCH), new Write(ORDER + 1, BATCH));
    }
}
