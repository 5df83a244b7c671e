package io.rocketbufs.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.link.Heartbeat;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.stub.StubConnection;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.HelloLayout;
import io.rocketbufs.wire.TextLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the connecting side's greeting. */
class GreetingTest implements SessionOwner {
    private final StubWorker worker = new StubWorker();
    private final List<String> goodbyes = new ArrayList<>();
    private boolean greeted;
    private Throwable failure;

    @Override
    public void greeted(int role, byte[] greeting) {
        greeted = true;
    }

    @Override
    public void control(ByteBuffer message) {}

    @Override
    public void closed(Throwable cause) {
        failure = cause;
    }

    private PostResult sent(ByteBuffer message) {
        if (ControlType.of(ControlLayout.typeCode(message)) == ControlType.GOODBYE) {
            goodbyes.add(TextLayout.text(message.duplicate().position(ControlLayout.HEADER_LENGTH)));
        }
        return PostResult.SENT;
    }

    @Test
    void shouldFailWithTheReasonWhenTheListeningSideUsesAnotherVersion() {
        try (MemoryPool pool = new MemoryPool(1 << 16)) {
            StubConnection connection = new StubConnection(worker, StubTransport.socket(Integer.MAX_VALUE), 7);
            Session session = new Session(
                    connection, this, new SessionSettings(new Heartbeat.Times(1000, 3000, 1000), 1000, 500), pool);
            connection.handledBy(session);
            connection.onSend(this::sent);
            session.greet(1, new byte[0]);
            worker.run();
            ByteBuffer hello = ControlLayout.begin(ByteBuffer.allocate(100), ControlType.HELLO, 0);
            HelloLayout.put(hello, 1, 1000, new byte[0]);
            hello.putShort(ControlLayout.HEADER_LENGTH + 4, (short) 1);
            worker.run(() -> session.control(ControlLayout.end(hello)));
            worker.run(session::peerFinished);
        }
        assertThat(greeted).isFalse();
        assertThat(goodbyes).singleElement().asString().contains("uses protocolVersion=1, but only version");
        assertThat(failure).isInstanceOfSatisfying(TransportException.class, cause -> {
            assertThat(cause.code()).isEqualTo(TransportException.Code.PROTOCOL);
            assertThat(cause).hasMessageContaining("use the same version of RocketBufs on both sides");
        });
    }
}
