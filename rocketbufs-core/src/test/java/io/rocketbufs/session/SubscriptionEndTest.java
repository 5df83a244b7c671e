package io.rocketbufs.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.metrics.LossState;
import io.rocketbufs.metrics.SlowState;
import io.rocketbufs.metrics.SubscriptionState;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.options.SubscribePermission;
import io.rocketbufs.out.Outputs;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.stub.StubConnection;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.wire.ControlMessages;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of a connection that is closed while its peer has a subscription. */
final class SubscriptionEndTest implements StubOwner, SubscriptionListener {
    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final StubWorker worker = new StubWorker();
    private final StubConnection connection = new StubConnection(worker, StubTransport.socket(Integer.MAX_VALUE), 7);
    private final Session session = new Session(connection, this, SETTINGS, pool);

    @AfterEach
    void closePool() {
        pool.close();
    }

    @Override
    public void subscribed(int bufferId) {}

    @Override
    public void subscriptionEnded(SubscriptionState last, long undelivered, String reason) {
        throw new IllegalStateException("thrown by the application");
    }

    @Override
    public boolean watches() {
        return false;
    }

    @Override
    public void slow(int bufferId, SlowState state) {}

    @Override
    public void losing(int bufferId, LossState state) {}

    @Test
    void shouldFinishAGracefulCloseEvenIfTheSubscriptionCallbackThrows() {
        Outputs outputs = new Outputs(1, pool, () -> false);
        outputs.create(1, 100, BufferOptions.DEFAULTS, null);
        session.sendFrom(outputs, SubscribePermission.ALL, this);
        session.greet(1, new byte[0]);
        worker.run(() -> session.control(ControlMessages.hello(1, 1000, new byte[0])));
        worker.run(() ->
                session.control(ControlMessages.subscribe(1, 0, 100, SubscribeOptions.DEFAULTS, RemoteAccess.NONE)));
        assertThat(outputs.subscriptionCount(1)).isEqualTo(1);
        connection.onSend(message -> PostResult.NO_WINDOW);
        session.close("");
        worker.run();
        connection.onSend(message -> PostResult.SENT);
        assertThatThrownBy(() -> worker.run(session::writable)).hasMessage("thrown by the application");
        assertThat(connection.isFinished()).isTrue();
    }
}
