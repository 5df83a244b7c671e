package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.Role;
import io.rocketbufs.rocketlog.protocol.LeaseMessageLayout;
import io.rocketbufs.rocketlog.protocol.LeaseMode;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageType;
import io.rocketbufs.rocketnet.TransportException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of a producer whose access to the memory ends before the broker has responded to the producer's request. */
@Timeout(600)
final class EarlyRevocationSystemTest extends LeaseFixture {
    private static final long REVOKE_TIMEOUT_MS = 60_000;

    private final CompletableFuture<Connection> brokersEnd = new CompletableFuture<>();
    private Connection producersEnd;

    private void connect() {
        Listener listener =
                running.opened(new Listener(running.brokers(), new InetSocketAddress("127.0.0.1", 0), "tcp"));
        listener.setConnectionCallback(brokersEnd::complete);
        producersEnd = running.clients()
                .connect(listener.address(), ConnectOptions.as(Role.PEER, made -> {}))
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }

    /** Revokes the producer's access as soon as it has been given, and responds only after the access has ended. */
    private final class RevokingOwner implements LeaseHolder.Owner {
        private final BlockingQueue<ByteBuffer> answers = new LinkedBlockingQueue<>();
        private final BlockingQueue<LeaseHolder> removed = new LinkedBlockingQueue<>();
        private volatile LeaseHolder holder;

        @Override
        public Connection connection() {
            Connection connection = brokersEnd.join();
            LeaseHolder revoked = holder;
            if (revoked != null
                    && !connection.isWorkerThread()
                    && !revoked.accessEnd().isDone()) {
                revoked.revoke(REVOKE_TIMEOUT_MS);
                revoked.accessEnd().join();
            }
            return connection;
        }

        @Override
        public String client() {
            return "revoked";
        }

        @Override
        public void answer(ByteBuffer message) {
            answers.add(message);
        }

        @Override
        public void onResult(int number, long result, long nextOffset) {
            throw new AssertionError("result=" + result);
        }

        @Override
        public void report() {
            throw new AssertionError("there is no result");
        }

        @Override
        public void remove(LeaseHolder ended) {
            removed.add(ended);
        }
    }

    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void shouldRespondWithMemoryThatIsAlreadyRevoked(LeaseMode mode) throws Exception {
        start("tcp");
        connect();
        RevokingOwner owner = new RevokingOwner();
        LeaseHolder holder = new LeaseHolder(owner, "orders-0", new LeaseRequest(7, 0, mode, 1));
        try (DiskTasks tasks = new DiskTasks()) {
            LogBrokerSettings.Direct direct = new LogBrokerSettings.Direct(List.of("*"), REVOKE_TIMEOUT_MS, 60_000);
            PartitionLease lease = new PartitionLease(partition(), mode, new LeaseTerms(tasks, direct, 1), holder);
            assertThat(partition().beginLease(lease)).isTrue();
            owner.holder = holder;
            lease.open(holder);
            ByteBuffer answer = owner.answers.poll(60, TimeUnit.SECONDS);
            assertThat(answer).isNotNull();
            assertThat(LogMessageLayout.type(answer)).isEqualTo(LogMessageType.ACQUIRED);
            assertThat(LogMessageLayout.correlation(answer)).isEqualTo(7);
            assertThat(producersEnd.isOpen()).isTrue();
            assertThatThrownBy(() ->
                            producersEnd.remoteMemory(LeaseMessageLayout.acquiredGrant(answer), (context, value) -> {}))
                    .isInstanceOfSatisfying(
                            TransportException.class,
                            failure -> assertThat(failure.code()).isEqualTo(TransportException.Code.CLOSED));
            assertThat(owner.removed.poll(60, TimeUnit.SECONDS)).isSameAs(holder);
        }
        appendByAnother(0);
    }
}
