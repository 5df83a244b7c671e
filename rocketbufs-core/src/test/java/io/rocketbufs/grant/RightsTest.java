package io.rocketbufs.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Capabilities.Operation;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RightsTest {
    private static final Set<Operation> ATOMIC = Set.of(Operation.FETCH_ADD, Operation.COMPARE_SWAP);

    private static Capabilities capabilities(Set<Operation> operations, boolean isCoherent) {
        return Capabilities.builder()
                .operations(operations)
                .coherentAtomics(isCoherent)
                .build();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldEmulateAtomicOperationsBesideADeviceOnlyIfTheyAreAtomicForTheProcessor(boolean isCoherent) {
        assertThat(Rights.mayEmulateAtomics(capabilities(ATOMIC, isCoherent))).isEqualTo(isCoherent);
    }

    @Test
    void shouldEmulateAtomicOperationsThatTheTransportLacks() {
        assertThat(Rights.mayEmulateAtomics(capabilities(Set.of(Operation.READ), false)))
                .isTrue();
    }
}
