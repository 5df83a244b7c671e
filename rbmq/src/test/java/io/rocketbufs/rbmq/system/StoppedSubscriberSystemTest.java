package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.rbmq.TransportPair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests in which one of two subscribers is stopped with SIGSTOP, and does not delay the publisher. They check the
 * effect on the other subscriber and, after SIGCONT, on the stopped subscriber.
 */
@Timeout(600)
@ParameterizedClass
@MethodSource("io.rocketbufs.rbmq.TransportPair#all")
final class StoppedSubscriberSystemTest {
    private final TransportPair pair;

    StoppedSubscriberSystemTest(TransportPair pair) {
        this.pair = pair;
    }

    @Test
    void shouldDisconnectTheSubscriberAndServeTheOtherWhenThePolicyIsDisconnect() throws Exception {
        try (StoppedSubscriberScene scene = new StoppedSubscriberScene(pair, "disconnect", "block")) {
            scene.stopped.signal("STOP");
            scene.awaitCount(scene.other, scene.count(scene.other) + StoppedSubscriberScene.MANY);
            scene.stopped.signal("CONT");
            assertThat(scene.stopped.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
            assertThat(scene.stopped.errText()).contains("the connection to the broker was lost");
            scene.stopPublisher();
            scene.finishWhole(scene.other);
        }
    }

    @Test
    void shouldServeTheOtherAndContinueWithAGapWhenThePolicyIsSkip() throws Exception {
        try (StoppedSubscriberScene scene = new StoppedSubscriberScene(pair, "skip", "block")) {
            scene.stopped.signal("STOP");
            scene.awaitCount(scene.other, scene.count(scene.other) + StoppedSubscriberScene.MANY);
            scene.stopped.signal("CONT");
            long resumed = scene.count(scene.stopped);
            scene.awaitCount(scene.stopped, resumed + StoppedSubscriberScene.MANY);
            scene.stopPublisher();
            scene.finishWhole(scene.other);
            assertThat(scene.finish(scene.stopped))
                    .doesNotContain("\"lost\":0")
                    .contains("\"duplicated\":0", "\"reordered\":0", "\"corrupted\":0");
        }
    }
}
