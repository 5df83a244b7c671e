package io.rocketbufs.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.stub.StubConnection;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.HelloLayout;
import io.rocketbufs.wire.TextLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the greetings sent by both sides. */
class GreetingTest implements StubOwner {
    private final StubWorker worker = new StubWorker();
    private final List<String> goodbyes = new ArrayList<>();
    private final List<Integer> tags = new ArrayList<>();
    private boolean greeted;
    private TransportException refusal;
    private Throwable failure;

    @Override
    public void greeted(int role, byte[] greeting) {
        greeted = true;
        if (refusal != null) {
            throw refusal;
        }
    }

    @Override
    public void closed(Throwable cause) {
        failure = cause;
    }

    private PostResult sent(ByteBuffer message) {
        if (ControlType.of(ControlLayout.typeCode(message)) == ControlType.GOODBYE) {
            ByteBuffer body = message.duplicate().position(ControlLayout.HEADER_LENGTH);
            goodbyes.add(TextLayout.text(body));
            tags.add(TextLayout.tag(body));
        }
        return PostResult.SENT;
    }

    private Session session(MemoryPool pool) {
        StubConnection connection = new StubConnection(worker, StubTransport.socket(Integer.MAX_VALUE), 7);
        Session session = new Session(connection, this, SETTINGS, pool);
        connection.handledBy(session);
        connection.onSend(this::sent);
        return session;
    }

    @ParameterizedTest
    @CsvSource({"0, REFUSED", "1, RESOURCES"})
    void shouldKnowWhetherItIsRefusedTemporarily(int tag, TransportException.Code code) {
        try (MemoryPool pool = new MemoryPool(1 << 16)) {
            Session session = session(pool);
            session.greet(1, new byte[0]);
            worker.run(() -> session.control(ControlMessages.goodbye("refused: full", tag)));
            worker.run(session::peerFinished);
        }
        assertThat(greeted).isFalse();
        assertThat(failure).isInstanceOfSatisfying(TransportException.class, cause -> {
            assertThat(cause.code()).isEqualTo(code);
            assertThat(cause).hasMessageEndingWith("refused: full");
        });
    }

    @ParameterizedTest
    @CsvSource({"0, REFUSED", "1, RESOURCES", "0, PROTOCOL"})
    void shouldTellThePeerWhetherItIsRefusedTemporarily(int tag, TransportException.Code code) {
        refusal = new TransportException(code, "full");
        try (MemoryPool pool = new MemoryPool(1 << 16)) {
            Session session = session(pool);
            worker.run(() -> session.control(ControlMessages.hello(1, 1000, new byte[0])));
            worker.run(session::peerFinished);
        }
        assertThat(goodbyes).containsExactly("refused: full");
        assertThat(tags).containsExactly(tag);
    }

    @Test
    void shouldFailWithTheReasonWhenTheListeningSideUsesAnotherVersion() {
        try (MemoryPool pool = new MemoryPool(1 << 16)) {
            Session session = session(pool);
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
