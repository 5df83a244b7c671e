package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.text.HostPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class BrokerAddressesTest {
    private final List<String> tried = new ArrayList<>();

    private static InetAddress[] lookUp(String host) throws UnknownHostException {
        return switch (host) {
            case "two" -> new InetAddress[] {address("two", "10.0.0.1"), address("two", "::1")};
            case "three" -> new InetAddress[] {address("three", "10.0.0.3")};
            default -> throw new UnknownHostException(host);
        };
    }

    private static InetAddress address(String name, String text) throws UnknownHostException {
        return InetAddress.getByAddress(name, InetAddress.getByName(text).getAddress());
    }

    @Test
    void shouldTryAllAddressesOfEachNameInOrder() {
        assertThat(connect("two:1,three:2", "10.0.0.3", Code.TIMEOUT)).isEqualTo("10.0.0.3:2");
        assertThat(tried).containsExactly("10.0.0.1:1", "[::1]:1", "10.0.0.3:2");
    }

    @Test
    void shouldNotLookUpANameBeforeTheAddressesBeforeItHaveFailed() {
        assertThat(connect("two:1,unknown:2", "10.0.0.1", Code.TIMEOUT)).isEqualTo("10.0.0.1:1");
        assertThat(tried).containsExactly("10.0.0.1:1");
    }

    @Test
    void shouldNameEveryAddressWithItsReason() {
        assertThatThrownBy(() -> connect("two:1,three:2,unknown:3", "none", Code.NO_LISTENER))
                .isInstanceOfSatisfying(TransportException.class, failure -> {
                    assertThat(failure.code()).isEqualTo(Code.NO_LISTENER);
                    assertThat(failure.getSuppressed()).hasSize(4);
                })
                .hasMessage("none of 4 addresses accepted the connection: 10.0.0.1:1: connect to two:1: closed;"
                        + " [::1]:1: connect to two:1: closed; 10.0.0.3:2: connect to three:2: closed;"
                        + " connect to unknown:3: closed");
    }

    @Test
    void shouldReportTheOnlyFailureUnchanged() {
        assertThatThrownBy(() -> connect("three:2", "none", Code.TIMEOUT))
                .hasMessage("connect to three:2: closed")
                .hasNoSuppressedExceptions();
    }

    @Test
    void shouldTryTheNextAddressWhenABrokerRefusesTheClientTemporarily() {
        assertThat(connect("three:2,two:1", "10.0.0.1", Code.RESOURCES)).isEqualTo("10.0.0.1:1");
        assertThat(tried).containsExactly("10.0.0.3:2", "10.0.0.1:1");
    }

    @Test
    void shouldNotTryFurtherAddressesAfterARefusalOrWithoutATransport() {
        for (Code code : List.of(Code.REFUSED, Code.UNAVAILABLE)) {
            tried.clear();
            assertThatThrownBy(() -> connect("three:2,two:1", "none", code)).hasMessage("connect to three:2: closed");
            assertThat(tried).containsExactly("10.0.0.3:2");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"REFUSED", "NO_LISTENER", "TIMEOUT"})
    void shouldReportATemporaryRefusalWhateverTheNextAddressAnswers(Code next) {
        assertThatThrownBy(() -> connectInTurn(Code.RESOURCES, next, Code.NO_LISTENER))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        failure -> assertThat(failure.code()).isEqualTo(Code.RESOURCES))
                .hasMessageContaining("none of 3 addresses")
                .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(3));
    }

    @Test
    void shouldReportATemporaryRefusalAfterAnUnreachableAddress() {
        assertThatThrownBy(() -> connectInTurn(Code.NO_LISTENER, Code.RESOURCES, Code.TIMEOUT))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        failure -> assertThat(failure.code()).isEqualTo(Code.RESOURCES));
    }

    @Test
    void shouldNotAskFurtherBrokersAfterARefusalThatPrecedesATemporaryOne() {
        assertThatThrownBy(() -> connectInTurn(Code.REFUSED, Code.RESOURCES, Code.RESOURCES))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        failure -> assertThat(failure.code()).isEqualTo(Code.REFUSED));
        assertThat(tried).hasSize(1);
    }

    /** Tries to connect to three addresses. Each attempt fails with the next of the given codes. */
    private String connectInTurn(Code... codes) {
        return BrokerAddresses.connect(BrokerAddresses.parse("three:2,two:1"), BrokerAddressesTest::lookUp, address -> {
            tried.add(HostPort.numeric(address));
            throw new TransportException(codes[tried.size() - 1], "no");
        });
    }

    @Test
    void shouldNotTryFurtherAddressesWhenInterrupted() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> connect("three:2,two:1", "none", Code.CLOSED))
                .hasMessage("connect to three:2: closed");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(tried).hasSize(1);
    }

    @Test
    void shouldAttachEarlierFailuresToARefusal() {
        assertThatThrownBy(() -> BrokerAddresses.connect(
                        BrokerAddresses.parse("three:2,two:1"), BrokerAddressesTest::lookUp, address -> {
                            throw new TransportException(
                                    address.getPort() == 1 ? Code.REFUSED : Code.TIMEOUT, "" + address.getPort());
                        }))
                .hasMessage("1")
                .satisfies(refusal -> assertThat(refusal.getSuppressed())
                        .singleElement()
                        .hasToString(new TransportException(Code.TIMEOUT, "2").toString()));
    }

    private String connect(String brokers, String reachable, Code otherwise) {
        return BrokerAddresses.connect(
                BrokerAddresses.parse(brokers),
                BrokerAddressesTest::lookUp,
                address -> connect(address, reachable, otherwise));
    }

    private String connect(InetSocketAddress address, String reachable, Code otherwise) {
        String text = address.isUnresolved() ? HostPort.of(address) : HostPort.numeric(address);
        tried.add(text);
        if (text.startsWith(reachable)) {
            return text;
        }
        throw new TransportException(otherwise, "connect to " + HostPort.of(address) + ": closed");
    }
}
