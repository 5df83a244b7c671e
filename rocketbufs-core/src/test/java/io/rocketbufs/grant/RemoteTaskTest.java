package io.rocketbufs.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.options.Posted;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.stub.StubConnection;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.session.Session;
import io.rocketbufs.session.StubOwner;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of operations on a peer's memory, over a connection whose transport is controlled by the test. */
class RemoteTaskTest implements StubOwner, RemoteMemoryCallback {
    private static final int LENGTH = 1 << 16;

    private final MemoryPool pool = new MemoryPool(1 << 20);
    private final Region region = pool.allocate(LENGTH);
    private final StubWorker worker = new StubWorker();
    private final StubConnection connection = new StubConnection(worker, StubTransport.socket(1 << 14), 7);
    private final Session session = new Session(connection, this, SETTINGS, pool);
    private final List<Long> failures = new ArrayList<>();
    private final List<Throwable> ends = new ArrayList<>();
    private Runnable onSpace = () -> {};
    private RemoteTask remote;
    private GrantedMemory own;

    @BeforeEach
    void open() {
        connection.handledBy(session);
        session.greet(3, new byte[0]);
        worker.run(() -> session.control(ControlMessages.hello(3, 1000, new byte[0])));
        own = session.oneSided().grant(region, 0, LENGTH, EnumSet.allOf(Right.class), GrantCallback.NONE);
        remote = session.oneSided().open(own.description(), this);
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
    public void onCompleted(long context, long value) {}

    @Override
    public void onFailed(long context, TransportException cause) {
        failures.add(context);
    }

    @Override
    public void onSpace() {
        onSpace.run();
    }

    private Posted write() {
        return remote.write(region, 0, 100, 0, 1);
    }

    /** Simulates that the given number of operations have been posted and have completed. */
    private void completed(long count) throws ReflectiveOperationException {
        Field operations = RemoteTask.class.getDeclaredField("operations");
        operations.setAccessible(true);
        for (String position : List.of("posted", "sent", "freed")) {
            Field field = PostedOperations.class.getDeclaredField(position);
            field.setAccessible(true);
            field.setLong(operations.get(remote), count);
        }
    }

    @Test
    void shouldPostMoreOperationsThanAnIntCanCount() throws ReflectiveOperationException {
        completed(Integer.MAX_VALUE - 100L);
        for (int i = 0; i < 300; i++) {
            assertThat(write()).isEqualTo(Posted.POSTED);
            worker.run();
        }
        assertThat(remote.completedWrites()).isEqualTo(300);
        connection.onSend(message -> PostResult.NO_WINDOW);
        assertThat(remote.read(0, 10, region, 1000, 5)).isEqualTo(Posted.POSTED);
        assertThat(remote.read(0, 10, region, 1000, 6)).isEqualTo(Posted.POSTED);
        session.disconnect("the test ends the connection");
        worker.run();
        assertThat(failures).containsExactly(5L, 6L);
    }

    /** Posts until there is no room, and then lets the transport accept everything. */
    private void wantSpace() {
        connection.onWrite(request -> PostResult.NO_WINDOW);
        Posted last;
        do {
            last = write();
            worker.run();
        } while (last == Posted.POSTED);
        assertThat(last).isEqualTo(Posted.NO_WINDOW);
        connection.onWrite(request -> PostResult.SENT);
        session.writable();
    }

    @Test
    void shouldReportSpaceOnceAfterARefusal() {
        List<String> events = new ArrayList<>();
        onSpace = () -> events.add("space");
        wantSpace();
        worker.run();
        assertThat(events).hasSize(1);
        assertThat(write()).isEqualTo(Posted.POSTED);
        worker.run();
        assertThat(events).hasSize(1);
    }

    @Test
    void shouldCloseTheConnectionWhenTheSpaceCallbackFails() {
        onSpace = () -> {
            throw new IllegalStateException("the test fails");
        };
        wantSpace();
        worker.run();
        assertThat(ends)
                .singleElement()
                .satisfies(end -> assertThat(end)
                        .hasMessageContaining("the space callback of grant 0 (serial 1) failed: the test"));
    }

    @Test
    void shouldNotReportSpaceOnceTheMemoryHasBeenRevoked() {
        List<String> events = new ArrayList<>();
        onSpace = () -> events.add("space");
        wantSpace();
        ByteBuffer revocation = ControlMessages.revocation(ControlType.REVOKE, own.id(), 1);
        session.control(revocation);
        worker.run();
        assertThat(events).isEmpty();
        assertThat(write()).isEqualTo(Posted.CLOSED);
    }
}
