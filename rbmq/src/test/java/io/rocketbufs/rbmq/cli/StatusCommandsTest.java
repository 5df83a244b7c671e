package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.json.Json;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.TransportPair;
import io.rocketbufs.text.HostPort;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the commands that show the state of a broker or the transports. */
@Tag("once")
@Timeout(600)
final class StatusCommandsTest {
    private static String output(String command) {
        RecordedStreams recorded = new RecordedStreams("rbmq");
        assertThat(Main.run(command.split(" "), recorded.withoutInput()))
                .as(() -> command + ": " + recorded.err())
                .isZero();
        return recorded.out();
    }

    @Test
    void shouldShowTopicsStateAndHealthOfABroker() throws Exception {
        try (RunningBroker broker = new RunningBroker()) {
            broker.subscriber().subscribe("t", message -> {}).ready().get(60, TimeUnit.SECONDS);
            String admin = " --admin " + HostPort.of(broker.broker().adminAddress());
            assertThat(output("topics" + admin)).contains("t ");
            assertThat(output("topics --json" + admin)).contains("\"t\"");
            assertThat(output("stat --once" + admin))
                    .contains("topics 1\n", "clientsByTransport.tcp 1\n", "refusals.wrong-token 0\n");
            assertThat(output("stat --once --json" + admin)).startsWith("{");
            assertThat(output("health" + admin)).isEqualTo("ready\n");
            assertThat(output("health --live" + admin)).isEqualTo("live\n");
        }
    }

    @Test
    void shouldShowTransports() {
        assertThat(output("transports"))
                .startsWith("auto: connects over tcp, ")
                .contains("\ntcp: available, ", "\nrdma: ", "\n  longestRead 0\n");
        assertThat(output("transports --json"))
                .startsWith("{\"auto\":{\"first\":\"tcp\",\"preferred\":[")
                .contains("\"transports\":[{\"name\":\"tcp\",\"available\":true");
    }

    @Test
    void shouldShowWhatEachProviderOffers() {
        TransportPair.assumeRdma();
        Config all = Json.parse(output("transports --json").strip());
        Config rdma = named("rdma", all.getConfigList("transports"));
        Config tcp = named("tcp", rdma.getConfigList("choices")).getConfig("capabilities");
        assertThat(tcp.getStringList("operations")).contains("PUT", "READ").doesNotContain("FETCH_ADD");
        assertThat(tcp.getInt("longestRead")).isPositive();
        assertThat(tcp.getBoolean("revokeFences")).isFalse();
        Config sockets = named("sockets", rdma.getConfigList("choices")).getConfig("capabilities");
        assertThat(sockets.getStringList("operations")).contains("READ", "FETCH_ADD", "COMPARE_SWAP");
        assertThat(sockets.getBoolean("coherentAtomics")).isTrue();
    }

    private static Config named(String name, List<? extends Config> all) {
        for (Config each : all) {
            if (each.getString("name").equals(name)) {
                return each;
            }
        }
        throw new AssertionError(name + " is not in " + all);
    }

    @Test
    void shouldShowWhyEachProviderOfATransportIsNotAvailable() {
        String text = output("transports --set rocketbufs.rdma.library=libfabric-missing.so");
        for (String name : new String[] {"rdma", "  verbs", "  tcp", "  sockets"}) {
            assertThat(text.lines())
                    .filteredOn(line -> line.startsWith(name + ": not available, "))
                    .singleElement()
                    .asString()
                    .contains("libfabric-missing.so", "apt-get install libfabric1");
        }
    }
}
