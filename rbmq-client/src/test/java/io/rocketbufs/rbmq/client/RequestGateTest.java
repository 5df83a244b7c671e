package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.Role;
import io.rocketbufs.rbmq.client.RequestException.Reason;
import io.rocketbufs.rbmq.client.RequestGate.Entry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class RequestGateTest {
    private static final byte[] PAYLOAD = new byte[60];

    private final RequestGate gate = new RequestGate(100);

    private Entry enter() {
        return gate.enter(null, new Headers(), PAYLOAD);
    }

    private int takeDue() {
        return gate.takeDue().size();
    }

    @Test
    void shouldLetRequestsWaitForTheInboxInALimitedSpace() {
        assertThat(enter()).isEqualTo(Entry.WAIT);
        assertThat(enter()).isEqualTo(Entry.NO_SPACE);
        assertThat(takeDue()).isZero();
        gate.inboxLive();
        assertThat(takeDue()).isEqualTo(1);
        assertThat(enter()).isEqualTo(Entry.WAIT); // after the requests that are being sent
        assertThat(takeDue()).isEqualTo(1);
        assertThat(takeDue()).isZero();
        assertThat(enter()).isEqualTo(Entry.SEND);
    }

    @Test
    void shouldFailRequestsUntilBothConnectionsAreBackAndThenWaitForTheNextInbox() {
        enter();
        gate.inboxLive();
        gate.lose(Role.SUBSCRIBER, "lost");
        gate.lose(Role.PUBLISHER, "lost, too");
        assertThat(gate.failure()).isEqualTo(new RequestGate.Failure(Reason.NOT_CONNECTED, "lost, too"));
        assertThat(enter()).isEqualTo(Entry.FAIL);
        gate.restore(Role.SUBSCRIBER);
        assertThat(enter()).isEqualTo(Entry.FAIL);
        gate.restore(Role.PUBLISHER);
        assertThat(gate.failure()).isNull();
        assertThat(takeDue()).isZero();
        assertThat(enter()).isEqualTo(Entry.WAIT);
        gate.inboxLive();
        assertThat(takeDue()).isEqualTo(1);
        assertThat(takeDue()).isZero();
        assertThat(enter()).isEqualTo(Entry.SEND);
    }

    @Test
    void shouldKeepTheInboxWhenOnlyTheConnectionThatPublishesIsLost() {
        gate.inboxLive();
        gate.lose(Role.PUBLISHER, "lost");
        gate.restore(Role.PUBLISHER);
        assertThat(takeDue()).isZero();
        assertThat(enter()).isEqualTo(Entry.SEND);
    }

    @Test
    void shouldStayEndedForTheFirstReason() {
        gate.end(Reason.CLOSED, "closed");
        gate.end(Reason.REFUSED, "refused");
        gate.lose(Role.PUBLISHER, "lost");
        gate.restore(Role.PUBLISHER);
        gate.inboxLive();
        assertThat(takeDue()).isZero();
        assertThat(enter()).isEqualTo(Entry.FAIL);
        assertThat(gate.failure()).isEqualTo(new RequestGate.Failure(Reason.CLOSED, "closed"));
    }
}
