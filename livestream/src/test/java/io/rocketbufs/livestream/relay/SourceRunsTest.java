package io.rocketbufs.livestream.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.livestream.media.ChunkFacts;
import org.junit.jupiter.api.Test;

final class SourceRunsTest {
    private static final long DURATION_US = 2_000_000;

    private final SourceRuns runs = new SourceRuns();

    @Test
    void shouldRefuseTheSecondOfTwoAlternatingSourcesFromItsSecondFile() {
        assertThat(send(100)).isEqualTo("continues");
        assertThat(send(102)).isEqualTo("continues");
        // This chunk might come from a restart of the first source.
        assertThat(send(0)).isEqualTo("breaks");
        assertThat(send(104)).isEqualTo("breaks");
        for (int i = 1; i < 20; i++) {
            assertThat(send(2 * i)).as("file %d of the second", i).isEqualTo("refused");
            assertThat(send(104 + 2 * i)).as("file %d of the first", i).isEqualTo("continues");
        }
    }

    @Test
    void shouldAcceptASourceThatIsRestartedRepeatedly() {
        for (int life = 0; life < 10; life++) {
            for (int i = 0; i < life + 1; i++) {
                assertThat(send(2 * i)).isEqualTo(i == 0 && life > 0 ? "breaks" : "continues");
            }
        }
    }

    @Test
    void shouldAcceptFilesAfterMissingOnes() {
        assertThat(send(0)).isEqualTo("continues");
        assertThat(send(4)).isEqualTo("breaks");
        assertThat(send(6)).isEqualTo("continues");
        assertThat(send(20)).isEqualTo("breaks");
        assertThat(send(22)).isEqualTo("continues");
    }

    @Test
    void shouldAcceptTheSecondSourceWhenTheFirstHasEnded() {
        send(100);
        send(0);
        assertThat(send(2)).isEqualTo("continues");
        assertThat(send(4)).isEqualTo("continues");
    }

    @Test
    void shouldContinueWhenTimeStampsWrap() {
        long wrapUs = (1L << 33) * 100 / 9;
        assertThat(take(wrapUs - 2 * DURATION_US)).isEqualTo("continues");
        assertThat(take(wrapUs - DURATION_US)).isEqualTo("continues");
        assertThat(take(1)).isEqualTo("continues");
        assertThat(take(DURATION_US)).isEqualTo("continues");
        assertThat(take(wrapUs / 2)).isEqualTo("breaks");
    }

    @Test
    void shouldAcceptFilesWithoutTimeStamps() {
        send(100);
        send(0);
        send(102);
        assertThat(take(ChunkFacts.UNKNOWN)).isEqualTo("continues");
    }

    private String send(int startS) {
        return take(startS * 1_000_000L);
    }

    private String take(long startUs) {
        ChunkFacts facts = new ChunkFacts(startUs, DURATION_US, true, "");
        if (runs.refuses(facts, DURATION_US)) {
            return "refused";
        }
        return runs.take(facts, DURATION_US) ? "continues" : "breaks";
    }
}
