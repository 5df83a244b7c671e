package io.rocketbufs.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.rocketnet.stub.StubConnection;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWorker;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the failures that a link reports while sending. */
final class LinkTest implements LinkOwner {
    private final List<TransportException> failures = new ArrayList<>();

    @Override
    public void fail(TransportException cause) {
        failures.add(cause);
    }

    @Override
    public void disconnect(String reason) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void sendingFinished() {
        throw new UnsupportedOperationException();
    }

    private void failSendingWith(RuntimeException cause) {
        StubConnection connection = new StubConnection(new StubWorker(), StubTransport.socket(Integer.MAX_VALUE), 7);
        connection.onSend(message -> {
            throw cause;
        });
        new Link(connection, this, 64 << 20).sender().open(ByteBuffer.allocate(1));
    }

    @Test
    void shouldReportAnErrorOfTheProgramWhileSendingAsInternal() {
        failSendingWith(new IllegalStateException("why"));
        assertThat(failures).singleElement().satisfies(failure -> {
            assertThat(failure.isInternal()).isTrue();
            assertThat(failure).hasMessageStartingWith("sending to ").hasMessageEndingWith(" failed: why");
        });
    }

    @Test
    void shouldKeepTheCodeWhenTheTransportFailsWhileSending() {
        failSendingWith(new TransportException(Code.PEER_LOST, "gone"));
        assertThat(failures).singleElement().satisfies(failure -> {
            assertThat(failure.isInternal()).isFalse();
            assertThat(failure.code()).isEqualTo(Code.PEER_LOST);
        });
    }
}
