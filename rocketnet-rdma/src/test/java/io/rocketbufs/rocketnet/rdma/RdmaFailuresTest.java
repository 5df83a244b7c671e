package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiException;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RdmaFailuresTest {
    private static final InetSocketAddress PEER = new InetSocketAddress("192.0.2.1", 7612);

    @ParameterizedTest
    @CsvSource({
        "12, RESOURCES",
        "23, RESOURCES",
        "24, RESOURCES",
        "28, RESOURCES",
        "19, UNREACHABLE",
        "32, PEER_LOST",
        "61, UNREACHABLE",
        "98, ADDRESS_IN_USE",
        "99, UNREACHABLE",
        "100, UNREACHABLE",
        "101, UNREACHABLE",
        "103, PEER_LOST",
        "104, PEER_LOST",
        "107, PEER_LOST",
        "110, PEER_LOST",
        "125, PEER_LOST",
        "5, PEER_LOST",
        "111, NO_LISTENER",
        "113, UNREACHABLE",
        "22, IO",
        "0, IO",
        "-1, IO",
        "99999, IO"
    })
    void shouldMapErrorNumbersToCodes(int errno, Code code) {
        assertThat(RdmaFailures.broken("write to", PEER, errno, "text").code()).isEqualTo(code);
        assertThat(RdmaFailures.listen(PEER, new OfiException("fi_listen", errno, "text"))
                        .code())
                .isEqualTo(code);
    }

    @ParameterizedTest
    @CsvSource({
        "1, true, RESOURCES, RLIMIT_MEMLOCK",
        "11, true, RESOURCES, RLIMIT_MEMLOCK",
        "12, true, RESOURCES, RLIMIT_MEMLOCK",
        "28, true, RESOURCES, 4096 bytes: fi_mr_reg: text (28)",
        "14, true, IO, unless it is on tmpfs or hugetlbfs",
        "14, false, IO, before Linux 6.2",
        "5, true, IO, 4096 bytes: fi_mr_reg: text (5)",
        "22, true, IO, 4096 bytes: fi_mr_reg: text (22)"
    })
    void shouldStateWhyMemoryIsNotRegisteredAndWhetherALaterAttemptMaySucceed(
            int errno, boolean isWritable, Code code, String end) {
        TransportException failure =
                RdmaFailures.register("device mlx5_0", 4096, isWritable, new OfiException("fi_mr_reg", errno, "text"));
        assertThat(failure.code()).isEqualTo(code);
        assertThat(failure).hasMessageStartingWith("device mlx5_0 cannot register 4096 bytes: fi_mr_reg: text");
        assertThat(failure).hasMessageContaining(end);
        assertThat(failure.getMessage().contains("RLIMIT")).isEqualTo(end.contains("RLIMIT"));
    }

    @Test
    void shouldDistinguishAConnectTimeoutFromALostPeer() {
        assertThat(RdmaFailures.connect(PEER, OfiConstants.FI_ETIMEDOUT, "text").code())
                .isEqualTo(Code.TIMEOUT);
        assertThat(RdmaFailures.broken(PEER, OfiConstants.FI_ETIMEDOUT, "text").code())
                .isEqualTo(Code.PEER_LOST);
    }

    @Test
    void shouldIncludeOperationPeerAndProviderMessage() {
        assertThat(RdmaFailures.broken(PEER, OfiConstants.FI_EIO, "Input/output error"))
                .hasMessage("exchange data with 192.0.2.1:7612: Input/output error");
        assertThat(RdmaFailures.listen(PEER, new OfiException("fi_listen", 98, "Address already in use")))
                .hasMessage("cannot listen on 192.0.2.1:7612: the port is in use")
                .hasCauseInstanceOf(OfiException.class);
        assertThat(RdmaFailures.timeout(PEER, 300)).hasMessage("connect to 192.0.2.1:7612: no answer within 300 ms");
    }

    /**
     * Operations are cancelled because the connection has ended, so the failure must report the end of the connection.
     */
    @Test
    void shouldReportALostPeerForCancelledOperations() {
        assertThat(RdmaFailures.broken(PEER, OfiConstants.FI_ECANCELED, "Operation canceled"))
                .hasMessage("read from 192.0.2.1:7612: the peer closed the connection abruptly");
    }

    @Test
    void shouldReportAFailureThatAHandlerThrewUnchanged() {
        TransportException own = new TransportException(Code.PROTOCOL, "nonsense");
        assertThat(RdmaFailures.handler(PEER, own)).isSameAs(own);
        assertThat(RdmaFailures.handler(PEER, new IllegalStateException("bad")))
                .hasMessage("handle data from 192.0.2.1:7612: bad")
                .hasCauseInstanceOf(IllegalStateException.class);
    }
}
