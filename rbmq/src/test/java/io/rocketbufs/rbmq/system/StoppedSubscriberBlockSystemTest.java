package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.rbmq.TransportPair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests in which one of two subscribers is stopped with SIGSTOP, and delays the publisher until the stall timeout. They
 * check the effect on the publisher and the other subscriber and, after SIGCONT, on the stopped subscriber.
 */
@Timeout(600)
@ParameterizedClass
@MethodSource("io.rocketbufs.rbmq.TransportPair#all")
final class StoppedSubscriberBlockSystemTest {
    private final TransportPair pair;

    StoppedSubscriberBlockSystemTest(TransportPair pair) {
        this.pair = pair;
    }

    @Test
    void shouldSlowThePublisherDownAndLoseNothingWhenThePolicyIsBlock() throws Exception {
        try (StoppedSubscriberScene scene =
                new StoppedSubscriberScene(pair, "block", "block", "rbmq.broker.stall-timeout=5 m")) {
            scene.stopped.signal("STOP");
            long standstill;
            do { // on a busy machine, the publisher may pause before the subscriber forces it to
                standstill = scene.awaitStandstill(scene.publisher);
            } while (scene.awaitStandstill(scene.other) > standstill);
            await().atMost(StoppedSubscriberScene.LIMIT)
                    .until(() -> scene.names(scene.stopped, "is delaying publisher"));
            scene.stopped.signal("CONT");
            scene.awaitCount(scene.publisher, standstill + StoppedSubscriberScene.MANY);
            scene.stopPublisher();
            // The subscriber may delay the publisher again when it gets little processor time.
            await().atMost(StoppedSubscriberScene.LIMIT)
                    .until(() -> scene.names(scene.stopped, "no longer delays publisher"));
            scene.finishWhole(scene.other);
            scene.finishWhole(scene.stopped);
        }
    }

    @Test
    void shouldDisconnectTheSubscriberAfterTheStallTimeoutWhenThePolicyIsBlock() throws Exception {
        // The stall timeout never disconnects a subscriber that skips, even if a busy machine pauses it.
        try (StoppedSubscriberScene scene =
                new StoppedSubscriberScene(pair, "block", "skip", "rbmq.broker.stall-timeout=1 s")) {
            scene.stopped.signal("STOP");
            long standstill = scene.awaitStandstill(scene.publisher);
            scene.awaitCount(scene.publisher, standstill + StoppedSubscriberScene.MANY);
            scene.awaitCount(scene.other, scene.count(scene.other) + StoppedSubscriberScene.MANY);
            scene.stopped.signal("CONT");
            assertThat(scene.stopped.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
            assertThat(scene.stopped.errText()).contains("the connection to the broker was lost");
            scene.stopPublisher();
            assertThat(scene.finish(scene.other)).contains("\"duplicated\":0", "\"reordered\":0", "\"corrupted\":0");
        }
    }
}
