package io.rocketbufs.rbmq.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class SequenceCheckTest {
    @Test
    void shouldFindNothingWhenMessagesAreConsecutive() {
        assertThat(findings(7, 7, 8, 9, 10)).containsExactly(0, 0, 0);
    }

    @Test
    void shouldCountMissingMessagesAsLost() {
        assertThat(findings(0, 0, 1, 5, 6, 9)).containsExactly(5, 0, 0);
    }

    @Test
    void shouldCountRepeatedMessagesAsDuplicates() {
        assertThat(findings(0, 0, 1, 1, 2, 0)).containsExactly(0, 2, 0);
    }

    @Test
    void shouldCountLateMessagesAsReordered() {
        assertThat(findings(0, 0, 5, 3, 1, 2, 4, 6)).containsExactly(0, 0, 4);
    }

    @Test
    void shouldCountASecondLateMessageAsADuplicate() {
        assertThat(findings(0, 0, 3, 1, 1)).containsExactly(1, 1, 1);
    }

    @Test
    void shouldRejectAnImplausibleJump() {
        SequenceCheck check = new SequenceCheck(0);
        assertThat(check.accept(1L << 40)).isFalse();
        assertThat(check.accept(0)).isTrue();
        assertThat(check.lost()).isZero();
    }

    @Test
    void shouldCountDroppedAndDuplicatedMessagesEvenIfTheyAreShuffled() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int count = 2000;
        List<Long> sent = new ArrayList<>(List.of(0L));
        int dropped = 0;
        int doubled = 0;
        for (long i = 1; i < count; i++) {
            int kind = i == count - 1 ? 2 : random.nextInt(20);
            dropped += kind == 0 ? 1 : 0;
            doubled += kind == 1 ? 1 : 0;
            for (int n = kind == 0 ? 0 : kind == 1 ? 2 : 1; n > 0; n--) {
                sent.add(i);
            }
        }
        Collections.shuffle(sent.subList(1, sent.size() - 1), random);
        SequenceCheck check = new SequenceCheck(0);
        sent.forEach(check::accept);
        assertThat(check.lost()).as("lost, seed %d", seed).isEqualTo(dropped);
        assertThat(check.duplicated()).as("duplicated, seed %d", seed).isEqualTo(doubled);
    }

    private static List<Integer> findings(long first, long... sequences) {
        SequenceCheck check = new SequenceCheck(first);
        for (long sequence : sequences) {
            assertThat(check.accept(sequence)).isTrue();
        }
        return List.of((int) check.lost(), (int) check.duplicated(), (int) check.reordered());
    }
}
