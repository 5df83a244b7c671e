package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.settings.ReloadedFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(600)
final class ReloadsTest {
    private final List<String> events = new ArrayList<>();

    private static BrokerSettings settings(String... lines) {
        return BrokerSettings.from(ConfigFactory.parseString(String.join("\n", lines))
                .withFallback(ConfigFactory.parseResources("reference.conf"))
                .resolve());
    }

    private Reloads reloads(ReloadSource source) {
        return new Reloads(settings(), new RefusalCounts(), source, former -> events.add("reloaded"));
    }

    private ReloadedFiles files(String... changes) {
        return new ReloadedFiles() {
            @Override
            public List<String> changes() {
                return List.of(changes);
            }

            @Override
            public void apply() {
                events.add("applied");
            }

            @Override
            public void close() {
                events.add("closed");
            }
        };
    }

    @Test
    void shouldApplyChangedFilesTogetherWithTheSettings() {
        Reloads reloads = reloads(running -> settings("rbmq.limits.topics = 7"));
        reloads.addFiles(() -> files("a file has changed"));
        assertThat(reloads.reload().changes())
                .containsExactly("rbmq.limits.topics: 100000 -> 7, for requests from now on", "a file has changed");
        assertThat(events).containsExactly("applied", "reloaded", "closed");
    }

    @Test
    void shouldApplyNothingIfAFileCannotBeUsed() {
        Reloads reloads = reloads(running -> settings("rbmq.limits.topics = 7"));
        reloads.addFiles(() -> files("a file has changed"));
        reloads.addFiles(() -> {
            throw new IllegalArgumentException("key: cannot read file");
        });
        ReloadException refusal = catchThrowableOfType(ReloadException.class, reloads::reload);
        assertThat(refusal.mistakes()).containsExactly("key: cannot read file");
        assertThat(events).containsExactly("closed");
        assertThat(reloads.settings().limits().topics()).isEqualTo(100_000);
    }

    @Test
    void shouldCloseWhileAReloadReadsAFileThatNeverEnds() throws Exception {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch read = new CountDownLatch(1);
        Reloads reloads = reloads(running -> {
            reading.countDown();
            awaitQuietly(read);
            return settings("rbmq.limits.topics = 7");
        });
        CompletableFuture<ReloadReport> reload =
                CompletableFuture.supplyAsync(reloads::reload, task -> new Thread(task, "reload").start());
        reading.await();
        reloads.close();
        read.countDown();
        assertThatThrownBy(() -> reload.get(60, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("the broker is closed");
        assertThat(events).isEmpty();
        assertThat(reloads.settings().limits().topics()).isEqualTo(100_000);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
