package io.rocketbufs.livestream.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.livestream.Container;
import io.rocketbufs.livestream.LivestreamSettings;
import io.rocketbufs.livestream.Running;
import io.rocketbufs.livestream.media.ChunkFacts;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class RelayStreamTest {
    private final RocketBufs rocketBufs = RocketBufs.open(Running.config());
    private final ROut out = new ROut(rocketBufs);
    private final RelayStreams streams =
            new RelayStreams(out, LivestreamSettings.from(Running.config()).relay(), new RelayCounters());
    private final RelayStream stream = streams.open("cam", "here");

    @AfterEach
    void close() {
        out.close();
        rocketBufs.close();
    }

    /** Edges keep each description until a chunk with a later description has arrived. */
    @Test
    void shouldCreateAtMostOneDescriptionPerChunk() {
        for (int i = 0; i < 100; i++) {
            stream.describe(Container.FMP4, "", new byte[] {(byte) i});
        }
        assertThat(stream.description().generation()).isEqualTo(1);
        send(0);
        assertThat(stream.description().generation()).isEqualTo(1);
        for (int i = 0; i < 100; i++) {
            stream.describe(Container.FMP4, "", new byte[] {(byte) -i});
        }
        assertThat(stream.description().generation()).isEqualTo(2);
    }

    @Test
    void shouldRejectAChunkThatCompletesAfterTheEnd() {
        stream.describe(Container.FMP4, "", new byte[1]);
        stream.append(ByteBuffer.wrap(new byte[10]));
        stream.end();
        assertThat(stream.commit(facts(0), 0)).isFalse();
    }

    @Test
    void shouldWaitForASourceForTwiceTheDurationOfTheLongestChunk() {
        assertThat(stream.silenceLimitMs(10_000)).isEqualTo(10_000);
        send(new ChunkFacts(0, 15_000_000, true, ""));
        send(new ChunkFacts(15_000_000, 1_000_000, true, ""));
        assertThat(stream.silenceLimitMs(10_000)).isEqualTo(30_000);
        stream.announceTargetDuration(20);
        assertThat(stream.silenceLimitMs(10_000)).isEqualTo(40_000);
        stream.announceTargetDuration(999_999_999);
        assertThat(stream.silenceLimitMs(10_000)).isEqualTo(3_600_000);
    }

    @Test
    void shouldNeverDecreaseTheTargetDuration() {
        stream.describe(Container.MPEG_TS, "", new byte[0]);
        assertThat(stream.description().targetDurationMs()).isEqualTo(2000);
        send(new ChunkFacts(0, 4_400_000, true, ""));
        assertThat(stream.description().targetDurationMs()).isEqualTo(4000);
        send(new ChunkFacts(4_400_000, 2_000_000, true, ""));
        assertThat(stream.description().targetDurationMs()).isEqualTo(4000);
        stream.announceTargetDuration(6);
        assertThat(stream.description().targetDurationMs()).isEqualTo(6000);
    }

    @Test
    void shouldEndAfterItsLastFileEvenIfTheEndOvertakesIt() {
        stream.describe(Container.MPEG_TS, "", new byte[0]);
        receive("i0.ts", 0);
        stream.endAfter("i1.ts");
        assertThat(streams.find("cam")).isSameAs(stream);
        receive("i1.ts", 1_000_000);
        assertThat(streams.find("cam")).isNull();
    }

    @Test
    void shouldEndImmediatelyWhenItsLastFileHasBeenReceived() {
        stream.describe(Container.MPEG_TS, "", new byte[0]);
        receive("i0.ts", 0);
        stream.endAfter("i0.ts");
        assertThat(streams.find("cam")).isNull();
    }

    @Test
    void shouldNotEndWhenItsSourceContinuesInsteadOfSendingTheLastFile() {
        stream.describe(Container.MPEG_TS, "", new byte[0]);
        receive("i0.ts", 0);
        stream.endAfter("i1.ts");
        stream.continues();
        receive("i1.ts", 1_000_000);
        assertThat(streams.find("cam")).isSameAs(stream);
    }

    private void receive(String file, long startUs) {
        assertThat(stream.acquire(this)).isTrue();
        send(new ChunkFacts(startUs, 1_000_000, true, ""));
        stream.release(this, file);
    }

    private void send(ChunkFacts facts) {
        assertThat(stream.append(ByteBuffer.wrap(new byte[10]))).isEqualTo(Append.DONE);
        assertThat(stream.commit(facts, 0)).isTrue();
    }

    private void send(long startUs) {
        send(facts(startUs));
    }

    private static ChunkFacts facts(long startUs) {
        return new ChunkFacts(startUs, 2_000_000, true, "");
    }
}
