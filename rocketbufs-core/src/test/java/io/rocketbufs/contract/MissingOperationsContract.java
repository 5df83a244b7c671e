package io.rocketbufs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Capabilities.Operation;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportConnection;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tests that a transport reports the reads, atomic operations and rights that it lacks, and refuses them. */
class MissingOperationsContract extends FetchFixture {
    MissingOperationsContract(Stage stage) {
        super(stage);
    }

    @Test
    void shouldStateConsistentCapabilities() {
        Capabilities capabilities = capabilities();
        boolean reads = capabilities.offers(Operation.READ);
        boolean atomics = capabilities.offers(Right.ATOMIC);
        assertThat(capabilities.longestRead() > 0).isEqualTo(reads);
        assertThat(capabilities.readWindow() > 0).isEqualTo(reads || atomics);
        assertThat(capabilities.offers(Operation.FETCH_ADD)).isEqualTo(capabilities.offers(Operation.COMPARE_SWAP));
    }

    @Test
    void shouldRefuseOperationsThatAreNotOffered() {
        BarePair pair = pair();
        TransportConnection near = pair.near().connection();
        RemoteBuffer remote = near.remoteBuffer(RemoteAccess.NONE, LENGTH);
        expectRefusal(Operation.READ, () -> pair.near().tryRead(remote, 0, 0, 1));
        expectRefusal(Operation.FETCH_ADD, () -> near.fetchAdd(remote, 0, 1, 0));
        expectRefusal(Operation.COMPARE_SWAP, () -> near.compareSwap(remote, 0, 0, 1, 0));
    }

    private void expectRefusal(Operation operation, ThrowingCallable call) {
        if (!capabilities().offers(operation)) {
            assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(call);
        }
    }

    @Test
    void shouldRefuseRightsThatAreNotOffered() {
        BarePair pair = pair();
        TransportConnection far = pair.far().connection();
        for (Right right : Right.values()) {
            String refusal = owner().refusal(pair.far().region(), Set.of(right));
            if (capabilities().offers(right)) {
                assertThat(refusal).isNull();
                far.revoke(far.grant(pair.far().region(), 0, 8, Set.of(right)));
            } else {
                assertThat(refusal).contains(right.name());
                assertThatExceptionOfType(UnsupportedOperationException.class)
                        .isThrownBy(() -> far.grant(pair.far().region(), 0, 8, Set.of(right)))
                        .withMessageContaining(right.name());
            }
        }
    }
}
