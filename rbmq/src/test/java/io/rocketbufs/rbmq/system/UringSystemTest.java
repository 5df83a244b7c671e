package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rocketnet.TransportException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Publisher, broker and subscribers with io_uring, and beside them clients with epoll, which is the same on the wire.
 */
@Timeout(120)
final class UringSystemTest {
    private static final String URING = "rocketbufs.tcp.io=io_uring";
    private static final int MANY = 20_000;

    @BeforeAll
    static void assumeUring() {
        try (RocketBufs rocketBufs = RocketBufs.open(RunningBroker.config(URING))) {
            rocketBufs.localAddress("tcp");
        } catch (TransportException e) {
            assumeTrue(e.code() != TransportException.Code.UNAVAILABLE, e.getMessage());
            throw e;
        }
    }

    @Test
    void shouldDeliverEverythingInOrderToSubscribersWithAndWithoutUring() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(URING);
                RbmqProcess uring = subscriber(broker, URING);
                RbmqProcess epoll = subscriber(broker, "rocketbufs.tcp.io=auto");
                RbmqProcess publisher = broker.publisher("pub", "topic", "--lines", "--set", URING)) {
            NumberedLines.type(publisher, MANY).join();
            assertThat(publisher.exitCode()).as(publisher.errText()).isZero();
            for (RbmqProcess subscriber : new RbmqProcess[] {uring, epoll}) {
                assertThat(subscriber.exitCode()).as(subscriber.errText()).isZero();
                assertThat(NumberedLines.checkFirst(subscriber.outText())).isEqualTo(MANY);
            }
        }
    }

    @Test
    void shouldServeTheOthersWhenAPeerIsKilled() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(URING);
                RbmqProcess survivor = subscriber(broker, URING);
                RbmqProcess victim = subscriber(broker, URING);
                RbmqProcess publisher = broker.publisher("pub", "topic", "--lines", "--set", URING)) {
            NumberedLines lines = NumberedLines.type(publisher, MANY);
            lines.awaitCount(MANY / 4);
            victim.signal("KILL");
            lines.join();
            assertThat(publisher.exitCode()).as(publisher.errText()).isZero();
            assertThat(survivor.exitCode()).as(survivor.errText()).isZero();
            assertThat(NumberedLines.checkFirst(survivor.outText())).isEqualTo(MANY);
        }
    }

    private static RbmqProcess subscriber(BrokerProcess broker, String setting) {
        RbmqProcess subscriber = broker.subscriber("sub", "topic", "--count", Integer.toString(MANY), "--set", setting);
        subscriber.awaitErr("subscribed topic");
        return subscriber;
    }
}
