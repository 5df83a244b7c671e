package io.rocketbufs.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.link.Heartbeat;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.options.Revocation;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.stub.StubConnection;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.session.Session;
import io.rocketbufs.session.SessionOwner;
import io.rocketbufs.session.SessionSettings;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of the end of grants, over a connection without a peer. */
class GrantedMemoryTest implements SessionOwner {
    private static final int LENGTH = 1 << 16;

    private final MemoryPool pool = new MemoryPool(1 << 20);
    private final StubWorker worker = new StubWorker();
    private final StubConnection connection = new StubConnection(worker, StubTransport.socket(1 << 14), 7);
    private final Session session =
            new Session(connection, this, new SessionSettings(new Heartbeat.Times(1000, 3000, 1000), 1000, 500), pool);

    @BeforeEach
    void open() {
        connection.handledBy(session);
        session.greet(3, new byte[0]);
        worker.run(() -> session.control(ControlMessages.hello(3, 1000, new byte[0])));
    }

    @AfterEach
    void close() {
        end();
        assertThat(pool.allocatedLength()).isZero();
        pool.close();
    }

    private void end() {
        session.disconnect("the test ends");
        worker.run();
    }

    @Override
    public void greeted(int role, byte[] greeting) {}

    @Override
    public void control(ByteBuffer received) {}

    @Override
    public void closed(Throwable failure) {}

    /** Grants memory that nothing else uses. */
    private GrantedMemory grant() {
        Region region = pool.allocate(LENGTH);
        GrantedMemory granted =
                session.oneSided().grant(region, 0, LENGTH, EnumSet.allOf(Right.class), GrantCallback.NONE);
        region.release();
        return granted;
    }

    private CompletableFuture<Revocation> revoke(GrantedMemory granted, long timeoutMs) {
        CompletableFuture<Revocation> end = granted.revoke(timeoutMs);
        worker.run();
        return end;
    }

    @Test
    void shouldKeepNoTimerOnceThePeerHasConfirmed() {
        GrantedMemory granted = grant();
        CompletableFuture<Revocation> end = revoke(granted, 60_000);
        Future<?> timer = worker.lastScheduled();
        assertThat(timer.isCancelled()).isFalse();
        worker.run(() -> session.control(ControlMessages.revocation(ControlType.REVOKED, granted.id(), 1)));
        assertThat(end).isCompletedWithValue(Revocation.CONFIRMED);
        assertThat(timer.isCancelled()).isTrue();
    }

    @Test
    void shouldWaitForTheTimeOfTheLastCall() {
        GrantedMemory granted = grant();
        revoke(granted, 50);
        Future<?> first = worker.lastScheduled();
        revoke(granted, 60_000);
        assertThat(first.isCancelled()).isTrue();
        assertThat(worker.lastDelayMs()).isEqualTo(60_000);
        assertThat(revoke(granted, 0)).isCompletedWithValue(Revocation.FORCED);
        assertThat(worker.lastScheduled().isCancelled()).isTrue();
    }
}
