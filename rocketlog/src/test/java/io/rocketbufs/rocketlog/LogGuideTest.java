package io.rocketbufs.rocketlog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.ConsumerStart;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the samples in docs/log.md. */
final class LogGuideTest {
    private final List<String> handled = new ArrayList<>();

    @TempDir
    Path folder;

    @Test
    void shouldAppendWithAndWithoutWaiting() {
        try (RunningLogBroker running = new RunningLogBroker(folder).withTopic("orders", 1)) {
            append(running.clients(), running.settings());
        }
    }

    private static void append(RocketBufs rocketBufs, LogClientSettings settings) {
        ByteBuffer key = ByteBuffer.wrap("customer 7".getBytes(UTF_8));
        ByteBuffer value = ByteBuffer.wrap("two apples".getBytes(UTF_8));

        try (LogProducer orders = LogProducer.open(rocketBufs, settings, "orders", ProducerCallback.NONE)) {
            CompletableFuture<Long> offset = orders.append(0, key, value); // waits for space
            long number = orders.send(0, key, value); // returns NO_SPACE instead of waiting, and creates no object

            assertThat(number).isEqualTo(1);
            assertThat(offset.join()).isZero();
        }
    }

    @Test
    void shouldReadWhatWasAppended() {
        try (RunningLogBroker running = new RunningLogBroker(folder).withTopic("orders", 1)) {
            append(running.clients(), running.settings());
            consume(running.clients(), running.settings());
            assertThat(handled).containsExactly("0 two apples", "1 two apples");
        }
    }

    private void consume(RocketBufs rocketBufs, LogClientSettings settings) {
        ConsumerOptions options = ConsumerOptions.from(ConsumerStart.EARLIEST);
        try (LogConsumer orders = LogConsumer.open(rocketBufs, settings, "orders", options)) {
            while (goesOn()) {
                orders.poll(100, (partition, offset, timestamp, key, value) -> handle(offset, value));
            }
        }
    }

    private boolean goesOn() {
        return handled.size() < 2;
    }

    private boolean handle(long offset, ByteBuffer value) {
        handled.add(offset + " " + UTF_8.decode(value));
        return goesOn();
    }
}
