package io.rocketbufs.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.AllocatedBytes;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.options.Posted;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.stub.StubConnection;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.session.Session;
import io.rocketbufs.session.StubOwner;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.ImmediateLayout;
import io.rocketbufs.wire.ReadLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of reads and atomic operations on a peer's memory that this side carries out itself. */
class OwnOperationTest implements StubOwner, RemoteMemoryCallback {
    private static final int LENGTH = 4 << 20;
    private static final int ANSWER = ImmediateLayout.granted(ImmediateLayout.ANSWER, 0, false);

    private final MemoryPool pool = new MemoryPool(16 << 20);
    private final Region region = pool.allocate(LENGTH);
    private final StubWorker worker = new StubWorker();
    private final StubConnection connection = new StubConnection(worker, StubTransport.socket(1 << 14), 7);
    private final Session session = new Session(connection, this, SETTINGS, pool);
    private final List<Long> completed = new ArrayList<>();
    private final List<Long> values = new ArrayList<>();
    private final List<Long> failures = new ArrayList<>();
    private final List<Throwable> ends = new ArrayList<>();
    private GrantedMemory own;
    private RemoteTask remote;
    /** Number of control messages and writes that have been sent. */
    private int sentCount;

    private boolean isReadable = true;
    private int mostOwnReads = Integer.MAX_VALUE;
    private boolean isIntact = true;
    private Runnable onReport = () -> {};
    private Runnable duringOperation = () -> {};
    private int ownReads;
    private boolean hasWords = true;
    private boolean areWordsIntact = true;
    private long word;
    private long before;

    /** Memory whose bytes the test does not check. */
    private final class Readable extends RemoteBuffer {
        Readable(RemoteAccess access, long capacity) {
            super(access, capacity);
        }

        @Override
        public boolean isReadable() {
            return isReadable && ownReads < mostOwnReads;
        }

        @Override
        public boolean read(long offset, int length, Region into, long intoOffset) {
            ownReads++;
            duringOperation.run();
            return isReadable && isIntact;
        }

        @Override
        public boolean hasWords() {
            return hasWords;
        }

        @Override
        public boolean fetchAdd(long offset, long addend, LongConsumer onBefore) {
            return change(word + addend, onBefore);
        }

        @Override
        public boolean compareSwap(long offset, long expected, long desired, LongConsumer onBefore) {
            return change(word == expected ? desired : word, onBefore);
        }

        private boolean change(long to, LongConsumer onBefore) {
            duringOperation.run();
            if (!hasWords || !areWordsIntact) {
                return false;
            }
            onBefore.accept(word);
            word = to;
            return true;
        }
    }

    @BeforeEach
    void open() {
        connection.handledBy(session);
        connection.onRemoteBuffer(Readable::new);
        session.greet(3, new byte[0]);
        worker.run(() -> session.control(ControlMessages.hello(3, 1000, new byte[0])));
        own = session.oneSided().grant(region, 0, LENGTH, Set.of(Right.READ), GrantCallback.NONE);
        remote = session.oneSided().open(own.description(), this);
        connection.onSend(message -> {
            sentCount++;
            return PostResult.SENT;
        });
    }

    @AfterEach
    void close() {
        session.disconnect("the test ends");
        worker.run();
        region.release();
        assertThat(pool.allocatedLength()).isZero();
        pool.close();
    }

    @Override
    public void closed(Throwable failure) {
        ends.add(failure);
    }

    @Override
    public void onCompleted(long context, long value) {
        completed.add(context);
        values.add(value);
        onReport.run();
    }

    @Override
    public void onFailed(long context, TransportException cause) {
        failures.add(context);
        onReport.run();
    }

    private boolean readDirectly() {
        return remote.direct().read(0, 100, region, 1000);
    }

    private void post(long context) {
        assertThat(remote.read(0, 100, region, 1000, context)).isEqualTo(Posted.POSTED);
    }

    private void revoke() {
        worker.run(() -> session.control(ControlMessages.revocation(
                ControlType.REVOKE, own.name().id(), own.name().serial())));
    }

    @Test
    void shouldSendNothing() {
        assertThat(readDirectly()).isTrue();
        post(1);
        worker.run();
        assertThat(ownReads).isEqualTo(2);
        assertThat(completed).containsExactly(1L);
        assertThat(sentCount).isZero();
    }

    @Test
    void shouldCompletePostedReadsOnTheWorkerOnly() {
        post(1);
        post(2);
        assertThat(ownReads).isEqualTo(2);
        assertThat(completed).isEmpty();
        worker.run();
        assertThat(completed).containsExactly(1L, 2L);
    }

    @Test
    void shouldReadLongRangesInParts() {
        assertThat(remote.read(0, LENGTH, region, 0, 5)).isEqualTo(Posted.POSTED);
        worker.run();
        assertThat(ownReads).isEqualTo(4);
        assertThat(completed).containsExactly(5L);
    }

    @Test
    void shouldAskTheOwnerForTheRestOfALongRangeThatItCanNoLongerRead() {
        List<Long> requests = new ArrayList<>();
        connection.onSend(message -> {
            ByteBuffer body = message.duplicate().position(message.position() + ControlLayout.HEADER_LENGTH);
            requests.add(ReadLayout.offset(body));
            requests.add((long) ReadLayout.length(body));
            return PostResult.SENT;
        });
        mostOwnReads = 1;
        assertThat(remote.read(0, LENGTH, region, 0, 5)).isEqualTo(Posted.POSTED);
        worker.run();
        assertThat(ownReads).isEqualTo(1);
        assertThat(requests).containsExactly(1L << 20, 3L << 20);
    }

    @Test
    void shouldNotOvertakeAReadThatTheOwnerAnswers() {
        isReadable = false;
        post(1);
        isReadable = true;
        post(2);
        assertThat(readDirectly()).isFalse();
        assertThat(ownReads).isZero();
        worker.run(() -> session.arrived(ANSWER, 100));
        assertThat(completed).containsExactly(1L, 2L);
        assertThat(ownReads).isEqualTo(1);
        assertThat(readDirectly()).isTrue();
    }

    @Test
    void shouldNotOvertakeAPostedReadThatHasNotBeenReported() {
        post(1);
        assertThat(readDirectly()).isFalse();
        worker.run();
        assertThat(readDirectly()).isTrue();
    }

    @Test
    void shouldConfirmARevocationOnlyWhenTheReadIsOver() {
        duringOperation = () -> {
            revoke();
            assertThat(sentCount).as("messages sent during the read").isZero();
        };
        assertThat(readDirectly()).isTrue();
        worker.run();
        assertThat(sentCount).as("REVOKED").isEqualTo(1);
        assertThat(readDirectly()).isFalse();
        assertThat(ownReads).isEqualTo(1);
        assertThat(remote.read(0, 100, region, 1000, 1)).isEqualTo(Posted.CLOSED);
    }

    @Test
    void shouldNotReadAfterTheEndOfTheConnection() {
        session.disconnect("the test ends the connection");
        worker.run();
        assertThat(readDirectly()).isFalse();
        assertThat(ownReads).isZero();
    }

    @Test
    void shouldFailIfTheOwnerWithdrawsMemoryThatItHasNotRevoked() {
        isIntact = false;
        assertThat(readDirectly()).isFalse();
        post(1);
        worker.run();
        assertThat(failures).containsExactly(1L);
        assertThat(ends).singleElement().asString().contains("cannot be used even though it has not been revoked");
    }

    @Test
    void shouldCloseTheConnectionWhenACompletionCallbackThrows() {
        onReport = () -> {
            throw new IllegalStateException("the test fails");
        };
        post(1);
        post(2);
        worker.run();
        assertThat(completed).containsExactly(1L);
        assertThat(failures).containsExactly(2L);
        assertThat(ends).singleElement().asString().contains("the completion callback of a grant failed: the test");
    }

    @Test
    void shouldEndTheConnectionEvenIfItsCallbacksThrowErrors() {
        onReport = () -> {
            throw new AssertionError("thrown by the application");
        };
        isReadable = false;
        post(1);
        post(2);
        session.disconnect("the test ends the connection");
        worker.run();
        assertThat(failures).containsExactly(1L, 2L);
        assertThat(ends).hasSize(1);
    }

    @Test
    void shouldAllocateNothing() {
        int count = 20_000;
        assertThat(AllocatedBytes.perCall(6, count, this::readDirectly)).isLessThan(0.5);
        assertThat(ownReads).isEqualTo(6 * count);
    }

    private boolean addDirectly(long addend) {
        return remote.direct().fetchAdd(8, addend, number -> before = number);
    }

    private void postAdd(long addend, long context) {
        assertThat(remote.fetchAdd(8, addend, context)).isEqualTo(Posted.POSTED);
    }

    @Test
    void shouldSendNothingToChangeWords() {
        assertThat(addDirectly(5)).isTrue();
        assertThat(before).isZero();
        postAdd(2, 1);
        assertThat(remote.compareSwap(8, 6, 1, 2)).isEqualTo(Posted.POSTED);
        assertThat(remote.compareSwap(8, 7, 9, 3)).isEqualTo(Posted.POSTED);
        assertThat(word).as("changed by the thread that posts").isEqualTo(9);
        assertThat(completed).as("reported by the worker").isEmpty();
        worker.run();
        assertThat(completed).containsExactly(1L, 2L, 3L);
        assertThat(values).containsExactly(5L, 7L, 7L);
        assertThat(remote.direct().compareSwap(8, 9, 4, number -> before = number))
                .isTrue();
        assertThat(before).isEqualTo(9);
        assertThat(word).isEqualTo(4);
        assertThat(sentCount).isZero();
    }

    @Test
    void shouldNotOvertakeAnAtomicOperationThatTheOwnerCarriesOut() {
        hasWords = false;
        postAdd(1, 1);
        assertThat(sentCount).as("ATOMIC_REQUEST").isEqualTo(1);
        hasWords = true;
        postAdd(10, 2);
        assertThat(addDirectly(100)).isFalse();
        assertThat(word).isZero();
        worker.run(() -> session.control(ControlMessages.atomicAnswer(ByteBuffer.allocateDirect(256), 77)));
        worker.run();
        assertThat(completed).containsExactly(1L, 2L);
        assertThat(values).containsExactly(77L, 0L);
        assertThat(addDirectly(100)).isTrue();
        assertThat(word).isEqualTo(110);
    }

    @Test
    void shouldConfirmARevocationOnlyWhenTheAtomicOperationIsOver() {
        duringOperation = () -> {
            revoke();
            assertThat(sentCount).as("messages sent during the operation").isZero();
        };
        assertThat(addDirectly(1)).isTrue();
        worker.run();
        assertThat(sentCount).as("REVOKED").isEqualTo(1);
        assertThat(addDirectly(1)).isFalse();
        assertThat(remote.fetchAdd(8, 1, 1)).isEqualTo(Posted.CLOSED);
        assertThat(word).isEqualTo(1);
    }

    @Test
    void shouldFailIfTheOwnerWithdrawsWordsThatItHasNotRevoked() {
        areWordsIntact = false;
        assertThat(addDirectly(1)).isFalse();
        postAdd(1, 1);
        worker.run();
        assertThat(failures).containsExactly(1L);
        assertThat(ends).singleElement().asString().contains("cannot be used even though it has not been revoked");
    }

    /** Posts the next operation in the callback that receives the number. */
    @Test
    void shouldReportTheNumberWhenTheOperationIsOver() {
        assertThat(remote.direct()
                        .fetchAdd(8, 1, number -> assertThat(addDirectly(1)).isTrue()))
                .isTrue();
        assertThat(word).isEqualTo(2);
    }

    @Test
    void shouldAllocateNothingWhenChangingWords() {
        LongConsumer onBefore = number -> before = number;
        assertThat(AllocatedBytes.perCall(6, 20_000, () -> remote.direct().fetchAdd(8, 1, onBefore)))
                .isLessThan(0.5);
        word = 0; // boxing 0 does not allocate
        assertThat(AllocatedBytes.perCall(6, 20_000, () -> {
                    remote.fetchAdd(8, 0, 5);
                    worker.run();
                    completed.clear();
                    values.clear();
                }))
                .isLessThan(0.5);
    }
}
