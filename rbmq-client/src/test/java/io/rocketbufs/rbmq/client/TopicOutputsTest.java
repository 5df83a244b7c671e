package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(600)
final class TopicOutputsTest {
    private final TopicOutputs outputs = new TopicOutputs();

    @Test
    void shouldForgetAnOutputWhileTheCounterOfAnotherOneIsLocked() throws Exception {
        TopicOutput locked = put(1);
        put(2);
        locked.lock();
        FutureTask<OutputCounts> sum = new FutureTask<>(outputs::sum);
        Thread thread = new Thread(sum, "sum");
        thread.start();
        while (thread.getState() != Thread.State.WAITING) { // the thread waits for the lock
            Thread.onSpinWait();
        }
        CompletableFuture<Void> forgotten = new CompletableFuture<>();
        Thread forgetting = new Thread(
                () -> {
                    outputs.forget(2);
                    forgotten.complete(null);
                },
                "forget");
        forgetting.start();
        try {
            forgotten.get(60, TimeUnit.SECONDS);
        } finally {
            locked.unlock();
        }
        assertThat(outputs.get(2)).isNull();
        assertThat(sum.get(60, TimeUnit.SECONDS)).isEqualTo(OutputCounts.NONE);
    }

    private TopicOutput put(int id) {
        ClientSettings settings = ClientSettings.from(ConfigFactory.load());
        TopicOutput output = new TopicOutput("t" + id, id, null, null, settings, null, () -> {});
        outputs.put(id, output);
        return output;
    }
}
