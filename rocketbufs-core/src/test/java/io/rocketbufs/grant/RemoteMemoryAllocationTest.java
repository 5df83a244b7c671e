package io.rocketbufs.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.AllocatedBytes;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.options.Posted;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.stub.StubConnection;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.session.Session;
import io.rocketbufs.session.StubOwner;
import io.rocketbufs.wire.AtomicLayout;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.ImmediateLayout;
import io.rocketbufs.wire.ReadLayout;
import io.rocketbufs.wire.SeekLayout;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that operations on granted memory allocate no objects, on either side. */
class RemoteMemoryAllocationTest implements StubOwner, RemoteMemoryCallback {
    private static final int LENGTH = 1 << 16;
    private static final int COUNT = 20_000;

    private final MemoryPool pool = new MemoryPool(1 << 20);
    private final Region region = pool.allocate(LENGTH);
    private final StubWorker worker = new StubWorker();
    private final StubConnection connection = new StubConnection(worker, StubTransport.socket(1 << 14), 7);
    private final Session session = new Session(connection, this, SETTINGS, pool);
    private final ByteBuffer message = ByteBuffer.allocateDirect(256);
    private final Vecs placed = new Vecs(4);
    private long writes;
    private long sends;
    private long completions;
    private long refused;

    @BeforeEach
    void greet() {
        connection.handledBy(session);
        connection.onWrite(request -> {
            writes++;
            return PostResult.SENT;
        });
        connection.onSend(sent -> {
            sends++;
            return PostResult.SENT;
        });
        session.greet(3, new byte[0]);
        worker.run(() -> session.control(ControlMessages.hello(3, 1000, new byte[0])));
    }

    @AfterEach
    void close() {
        region.release();
        pool.close();
    }

    @Override
    public void onCompleted(long context, long value) {
        completions++;
    }

    private GrantedMemory grant() {
        return session.oneSided().grant(region, 0, LENGTH, EnumSet.allOf(Right.class), GrantCallback.NONE);
    }

    private void say() {
        session.control(ControlLayout.end(message));
    }

    @Test
    void shouldAllocateNothingWhenAnsweringReads() {
        int id = grant().id();
        long before = writes;
        Runnable read = () -> {
            ControlLayout.begin(message, ControlType.READ_REQUEST, 0);
            ReadLayout.putRange(message, id, 50_000, 1000);
            ReadLayout.putAccess(message, 0, 0);
            say();
        };
        assertThat(AllocatedBytes.perCall(6, COUNT, () -> worker.run(read))).isLessThan(0.5);
        assertThat(writes - before).isEqualTo(6L * COUNT * 4);
    }

    @Test
    void shouldAllocateNothingWhenCarryingOutAtomicOperations() {
        int id = grant().id();
        long before = sends;
        Runnable add = () -> {
            ControlLayout.begin(message, ControlType.ATOMIC_REQUEST, 0);
            AtomicLayout.putWord(message, id, AtomicLayout.ADD, 8);
            AtomicLayout.putOperands(message, 1, 0);
            say();
        };
        assertThat(AllocatedBytes.perCall(6, COUNT, () -> worker.run(add))).isLessThan(0.5);
        assertThat(sends - before).isEqualTo(6L * COUNT);
    }

    @Test
    void shouldAllocateNothingWhenReceivingWrites() {
        int id = grant().id();
        int immediate = ImmediateLayout.granted(id, 5, false);
        Runnable arrive = () -> {
            ControlLayout.begin(message, ControlType.SEEK, 0);
            SeekLayout.put(message, id, 1000);
            say();
            placed.clear();
            session.place(immediate, 100, placed);
            session.arrived(immediate, 100);
        };
        assertThat(AllocatedBytes.perCall(6, COUNT, () -> worker.run(arrive))).isLessThan(0.5);
    }

    @Test
    void shouldAllocateNothingWhenPostingWritesAndReads() {
        RemoteTask remote = session.oneSided().open(grant().description(), this);
        int answer = ImmediateLayout.granted(ImmediateLayout.ANSWER, 0, false);
        Runnable arrive = () -> {
            placed.clear();
            session.place(answer, 100, placed);
            session.arrived(answer, 100);
        };
        assertThat(AllocatedBytes.perCall(6, COUNT, () -> {
                    refused += remote.write(region, 0, 100, 5000, 1) == Posted.POSTED ? 0 : 1;
                    refused += remote.read(0, 100, region, 1000, 7) == Posted.POSTED ? 0 : 1;
                    worker.run(arrive);
                }))
                .isLessThan(0.5);
        assertThat(refused).isZero();
        assertThat(completions).isEqualTo(6L * COUNT);
    }

    @Test
    void shouldAllocateNothingWhileReadsWaitForRoom() {
        RemoteTask remote = session.oneSided().open(grant().description(), this);
        int answer = ImmediateLayout.granted(ImmediateLayout.ANSWER, 0, false);
        Runnable arrive = () -> {
            placed.clear();
            session.place(answer, 100, placed);
            session.arrived(answer, 100);
        };
        for (int i = 0; i <= OpenRequests.MAX_COUNT; i++) {
            assertThat(remote.read(0, 100, region, 1000, 7)).isEqualTo(Posted.POSTED);
            worker.run();
        }
        assertThat(AllocatedBytes.perCall(6, COUNT, () -> {
                    worker.run(arrive);
                    refused += remote.read(0, 100, region, 1000, 7) == Posted.POSTED ? 0 : 1;
                    worker.run();
                }))
                .isLessThan(0.5);
        assertThat(refused).isZero();
        assertThat(completions).isEqualTo(6L * COUNT);
    }
}
