package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.rocketbufs.options.Revocation;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.loopback.LoopbackFaults;
import io.rocketbufs.rocketnet.loopback.LoopbackLink;
import io.rocketbufs.rocketnet.loopback.LoopbackNetwork;
import io.rocketbufs.rocketnet.loopback.LoopbackOptions;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests in which a peer stops in the middle of an operation on granted memory, and the grant is then ended forcibly.
 */
@Timeout(600)
class InterruptedGrantTest {
    private static final int LONG = 1 << 20;
    private static final int ARRIVING = 300_000;

    static List<LoopbackOptions> transports() {
        return List.of(
                LoopbackOptions.socket().longestControl(16 * 1024).socketCapacity(32 * 1024),
                LoopbackOptions.oneSided().longestControl(16 * 1024).socketCapacity(32 * 1024),
                LoopbackOptions.oneSided()
                        .fetches(false)
                        .longestControl(16 * 1024)
                        .socketCapacity(32 * 1024));
    }

    private static Stage stage(LoopbackNetwork network) {
        Stage stage = new Stage(config -> network.transport("loopback"), "127.0.0.1", () -> {});
        stage.expectFailures();
        return stage;
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldChangeNothingAfterAForcedRevocationInTheMiddleOfAWrite(LoopbackOptions options) {
        try (LoopbackNetwork network = new LoopbackNetwork(options)) {
            Stage stage = stage(network);
            Loan loan = Loan.between(stage.node(), stage.node()).grant(Set.of(Right.WRITE));
            byte[] bytes = loan.fillLocal(1);
            network.links().get(0).toServer().pieces(1000).allow(ARRIVING);
            loan.write(0, LONG, 0, 1);
            int certain = ARRIVING / 2;
            eventually(() -> Arrays.equals(loan.grantedBytes(0, certain), Arrays.copyOf(bytes, certain)));

            assertThat(Stage.get(loan.grant().revoke(100))).isEqualTo(Revocation.FORCED);
            byte[] then = loan.grantedBytes(0, Loan.LENGTH);
            assertThat(then).isNotEqualTo(bytes);
            network.links().get(0).toServer().resume();
            Stage.get(loan.user().closed());
            network.awaitQuiet(10_000);
            assertThat(loan.grantedBytes(0, Loan.LENGTH)).isEqualTo(then);
            assertThat(loan.writes()).isEmpty();
            loan.release();
            stage.close();
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldReadNothingAfterAForcedRevocationInTheMiddleOfAnAnswer(LoopbackOptions options) {
        try (LoopbackNetwork network = new LoopbackNetwork(options)) {
            Stage stage = stage(network);
            Loan loan = Loan.between(stage.node(), stage.node()).grant(Set.of(Right.READ));
            byte[] bytes = loan.fillGranted(2);
            // A transport that supports reads transfers their bytes in the direction of the request.
            LoopbackLink link = network.links().get(0);
            LoopbackFaults faults = stage.capabilities().offers(Right.READ) ? link.toServer() : link.toClient();
            faults.pieces(1000).allow(ARRIVING);
            loan.read(0, LONG, 0, 1);
            int certain = ARRIVING / 2;
            eventually(() -> Arrays.equals(loan.localBytes(0, certain), Arrays.copyOf(bytes, certain)));

            CompletableFuture<Revocation> end = loan.grant().revoke(100);
            assertThat(Stage.get(end)).isEqualTo(Revocation.FORCED);
            // Data that the owner stores in its memory after the revocation does not reach the peer.
            byte[] secret = loan.fillGranted(3);
            faults.resume();
            Stage.get(loan.user().closed());
            network.awaitQuiet(10_000);
            byte[] landed = loan.localBytes(0, LONG);
            assertThat(landed).isNotEqualTo(Arrays.copyOf(bytes, LONG));
            for (int i = 0; i < LONG; i++) {
                if (landed[i] != 0 && landed[i] != bytes[i]) {
                    fail("byte %d was stored after the revocation: %d", i, secret[i]);
                }
            }
            assertThat(loan.completions()).isEmpty();
            assertThat(loan.failures()).containsExactly(1L);
            loan.release();
            stage.close();
        }
    }
}
