package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportListener;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the rules that determine whether a listener is reachable through a device. */
@Timeout(600)
final class RdmaPlaceTest {
    private static final InetSocketAddress CONTACTED = new InetSocketAddress("127.0.0.1", 7610);

    private final RdmaTransportProvider provider = new RdmaTransportProvider();

    private static Config config(String libfabricProvider) {
        return ConfigFactory.parseString("rocketbufs.rdma.provider = " + libfabricProvider)
                .withFallback(ConfigFactory.load());
    }

    private void assertNoRoute(String place, String own, String reason) {
        assertThatThrownBy(() -> provider.route(place, CONTACTED, config(own)))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void shouldLeadToAListenerWhoseProviderIsConfigured() {
        try (Transport transport = provider.open(config("tcp"));
                TransportListener listener =
                        transport.listen(new InetSocketAddress("127.0.0.1", 0), connection -> null)) {
            assertThat(listener.place())
                    .isEqualTo("tcp 127.0.0.1:" + listener.address().getPort());
            assertThat(provider.route(listener.place(), CONTACTED, config("tcp")))
                    .isEqualTo(listener.address());
        }
    }

    @Test
    void shouldReplaceAWildcardAddressByTheOneThatWasContacted() {
        assertThat(provider.route("tcp 0.0.0.0:7612", CONTACTED, config("tcp")))
                .isEqualTo(new InetSocketAddress("127.0.0.1", 7612));
    }

    @Test
    void shouldNotSelectAProviderWithoutADeviceByItself() {
        assertNoRoute(
                "tcp 127.0.0.1:7612", "auto", "no RDMA device, and uses libfabric's provider tcp; to use it too, set");
    }

    @Test
    void shouldNotLeadFromOneProviderToAnother() {
        assertNoRoute(
                "sockets 127.0.0.1:7612",
                "tcp",
                "the peer uses libfabric's provider sockets, but rocketbufs.rdma.provider = tcp");
    }

    @Test
    void shouldNotLeadToADeviceWithoutOne() {
        assertNoRoute("verbs 127.0.0.1:7612", "verbs", "no device of provider verbs leads to 127.0.0.1:7612");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "tcp", "tcp ", "tcp :1", "tcp a", "tcp 127.0.0.1:0", " 127.0.0.1:1", "tcp a.example:1"})
    void shouldRefuseMalformedPlacesAndNames(String text) {
        assertNoRoute(text, "tcp", "unknown form");
    }
}
