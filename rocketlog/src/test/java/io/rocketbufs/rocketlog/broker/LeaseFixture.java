package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageType;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A fixture with a broker that lets producers write directly into the log of the topic {@code orders}. */
abstract class LeaseFixture {
    /** The number that a producer adds to the order word for a batch without bytes. */
    static final long ONE_ORDER = OrderWordLayout.reservation(0);

    /** A setting that makes the broker end a lease when a batch has been missing for 100 ms. */
    static final String IMPATIENT = "rocketlog.produce.direct.order-timeout = 100 ms";

    @TempDir
    Path folder;

    RunningLogBroker running;

    /**
     * Starts a broker. Unless a setting overrides this, the broker waits for missing batches longer than a test lasts.
     */
    void start(String transport, String... settings) {
        start(RocketBufs::open, transport, settings);
    }

    /** Starts a broker with the same defaults, and with the RocketBufs that the function opens for it. */
    void start(Function<Config, RocketBufs> opening, String transport, String... settings) {
        RunningLogBroker.assume(transport, folder);
        running = new RunningLogBroker(
                opening,
                folder,
                "rocketbufs.transport = " + transport,
                "rocketlog { batch.longest = 32 KiB, segment-length = 64 KiB",
                "produce.direct { topics = [orders], revoke-timeout = 30 s, order-timeout = 60 s }",
                "producer { batch = 4 KiB, memory = 64 KiB, lease-delay = 10 ms } }",
                String.join("\n", settings));
        running.withTopic("orders", 2);
    }

    @AfterEach
    void close() {
        if (running != null) { // null if the test was skipped
            running.close();
        }
    }

    /** Returns a producer that a test fully controls. */
    RawProducer producer() {
        RawProducer producer = running.opened(new RawProducer(running.clients(), running.address()));
        assertThat(LogMessageLayout.type(producer.announce("orders"))).isEqualTo(LogMessageType.PRODUCING);
        return producer;
    }

    /** Returns a producer that follows the protocol. */
    LogProducer honest(ProduceMode mode) {
        LogClientSettings settings = running.settings();
        return running.opened(LogProducer.open(
                running.clients(),
                settings.withProducer(settings.producer().withMode(mode)),
                "orders",
                ProducerCallback.NONE));
    }

    /** Appends a record, and returns its offset. */
    static long append(LogProducer producer, int partition) throws Exception {
        return producer.append(partition, null, ByteBuffer.wrap(new byte[] {1})).get(60, TimeUnit.SECONDS);
    }

    /** Appends a batch with a new producer through its buffer. */
    void appendByAnother(long expectedOffset) {
        RawProducer other = producer();
        other.send(0, batch(99, 0, "of another producer"));
        other.awaitResults(1);
        assertThat(other.results).containsExactly(expectedOffset);
    }

    LogPartition partition() {
        return running.broker().topics().topic("orders").partition(0);
    }

    LogCounters counters() {
        return running.broker().topics().counters();
    }

    static ByteBuffer batch(long producerId, int sequence, String... values) {
        return RawProducer.batch(producerId, 0, sequence, values);
    }
}
