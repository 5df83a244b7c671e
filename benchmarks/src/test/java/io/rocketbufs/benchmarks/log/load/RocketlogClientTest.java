package io.rocketbufs.benchmarks.log.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.broker.LogBroker;
import io.rocketbufs.rocketlog.broker.LogBrokerSettings;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests with a real broker in this process. */
@Tag("once")
final class RocketlogClientTest {
    private static final long ENOUGH = 200;
    private static final long CAPACITY = 16 << 20;

    @TempDir
    private static Path folder;

    private static RocketBufs rocketBufs;
    private static LogBroker broker;
    private static LogClient client;
    private static LogClient clientInMemory;

    @BeforeAll
    static void open() {
        Config config = ConfigFactory.parseString("rocketlog { port = 0, admin.enabled = false, dir = \"" + folder
                        + "\", allocation-step = 0 }\nrocketbufs.transport = tcp")
                .withFallback(ConfigFactory.load())
                .resolve();
        rocketBufs = RocketBufs.open(config);
        broker = LogBroker.open(rocketBufs, LogBrokerSettings.from(config));
        String address = "127.0.0.1:" + broker.addresses().get(0).getPort();
        String settings = "rocketbufs.transport = tcp\nrocketlog.producer.memory = 1 MiB";
        client = new RocketlogClient(address, settings, 0);
        clientInMemory = new RocketlogClient(address, settings, CAPACITY);
    }

    @AfterAll
    static void close() {
        client.close();
        clientInMemory.close();
        broker.close();
        rocketBufs.close();
    }

    @ParameterizedTest
    @EnumSource(Workload.class)
    void shouldLoseNothingInAnyWorkload(Workload workload) throws Exception {
        check(client, workload, workload.toString());
    }

    /** The first measurement creates and fills the topic; the second measurement uses it. */
    @ParameterizedTest
    @EnumSource(Workload.class)
    void shouldLoseNothingInAnyWorkloadWithTopicsInMemory(Workload workload) throws Exception {
        check(clientInMemory, workload, "memory-" + workload);
        check(clientInMemory, workload, "memory-" + workload);
    }

    private static void check(LogClient by, Workload workload, String topic) throws Exception {
        Config report = LoadRun.of(by, LoadRun.options(workload, topic), ENOUGH);
        assertThat(report.getDouble("perSecond")).isPositive();
        assertThat(report.getLong("faults")).isZero();
    }
}
