package io.rocketbufs.rocketlog.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ProducerStatesTest {
    private static final int PRODUCER = 7;

    private final ProducerStates states = new ProducerStates();
    private long nextOffset;

    /** Adds a batch, and returns its offset. */
    private long add(long producer, int epoch, int sequence, int count) {
        ByteBuffer batch = Batches.of(1, count, "", producer, epoch, sequence);
        RecordBatchLayout.assign(batch, 0, nextOffset, 0);
        states.add(batch, 0);
        nextOffset += count;
        return nextOffset - count;
    }

    private long add(int sequence, int count) {
        return add(PRODUCER, 0, sequence, count);
    }

    private void addOfAnother() {
        add(PRODUCER + 1, 0, (int) nextOffset, 3);
    }

    private long check(ProducerStates by, int sequence, int count) {
        return by.check(Batches.of(1, count, "", PRODUCER, 0, sequence), 0);
    }

    private long check(int sequence, int count) {
        return check(states, sequence, count);
    }

    @Test
    void shouldKnowTheOffsetsOfAllConsecutiveBatches() {
        addOfAnother();
        for (int i = 0; i < 3000; i++) {
            add(100 + 2 * i, 2);
        }
        for (int i = 0; i < 3000; i++) {
            assertThat(check(100 + 2 * i, 2)).isEqualTo(3 + 2 * i);
            assertThat(check(states.copy(), 100 + 2 * i, 2)).isEqualTo(3 + 2 * i);
        }
        assertThat(check(6100, 1)).isEqualTo(ProducerStates.NEXT);
        assertThat(states.length()).isEqualTo(2 * ProducerState.LENGTH);
    }

    @Test
    void shouldRecognizeAllBatchesBetweenThoseOfOthersAndKnowTheOffsetsOfTheLastOnes() {
        List<Long> offsets = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            offsets.add(add(2 * i, 2));
            addOfAnother();
        }
        for (int i = 0; i < 3000; i++) {
            long expected = i < 2996 ? ProducerStates.REPEATED : offsets.get(i);
            assertThat(check(2 * i, 2)).isEqualTo(expected);
            assertThat(check(states.copy(), 2 * i, 2)).isEqualTo(expected);
        }
        assertThat(check(6000, 1)).isEqualTo(ProducerStates.NEXT);
        assertThat(states.length()).isEqualTo(2 * ProducerState.LENGTH);
    }

    @Test
    void shouldNotTreatABatchAsRepeatedIfPartOfItIsNotInTheLog() {
        for (int i = 0; i < 20; i++) {
            add(100 + 2 * i, 2);
            addOfAnother();
        }
        for (int sequence : new int[] {0, 98, 99, 139, 141, 1 << 30, Integer.MAX_VALUE}) {
            assertThat(check(sequence, 2)).as("sequence " + sequence).isEqualTo(ProducerStates.OUT_OF_ORDER);
        }
        assertThat(check(100, 41)).isEqualTo(ProducerStates.OUT_OF_ORDER);
        assertThat(check(100, 2)).isEqualTo(ProducerStates.REPEATED);
    }

    @Test
    void shouldForgetTheBatchesOfAFormerEpoch() {
        for (int i = 0; i < 20; i++) {
            add(2 * i, 2);
            addOfAnother();
        }
        long offset = add(PRODUCER, 1, 0, 2);
        assertThat(states.check(Batches.of(1, 2, "", PRODUCER, 1, 0), 0)).isEqualTo(offset);
        assertThat(states.check(Batches.of(1, 2, "", PRODUCER, 1, 36), 0)).isEqualTo(ProducerStates.OUT_OF_ORDER);
        assertThat(check(36, 2)).isEqualTo(ProducerStates.FENCED);
    }

    /** Each range has the maximum length, so the sequences wrap around several times. */
    @Test
    void shouldNotConfuseSequencesWithThoseBeforeAWrapAround() {
        ProducerState state = new ProducerState(PRODUCER);
        int length = 1 << 29;
        long sequence = 0;
        for (int i = 0; i < 40; i++) {
            state.add((short) 0, (int) sequence & Integer.MAX_VALUE, length, sequence + i / 3);
            sequence += length;
            int next = (int) sequence & Integer.MAX_VALUE;
            assertThat(state.check((short) 0, next, 1)).isEqualTo(ProducerStates.NEXT);
            assertThat(state.check((short) 0, next + 1 & Integer.MAX_VALUE, 1)).isEqualTo(ProducerStates.OUT_OF_ORDER);
            assertThat(state.check((short) 0, next - 1 & Integer.MAX_VALUE, 1)).isEqualTo(sequence + i / 3 - 1);
            assertThat(state.check((short) 0, next - length & Integer.MAX_VALUE, length))
                    .isEqualTo(sequence + i / 3 - length);
        }
    }

    @Test
    void shouldForgetAProducerOnlyWhenItsLastRecordIsBeforeTheOffset() {
        for (int i = 0; i < 10; i++) {
            add(2 * i, 2);
        }
        states.removeBefore(19);
        assertThat(check(4, 2)).isEqualTo(4);
        states.removeBefore(20);
        assertThat(states.count()).isZero();
    }

    @Test
    void shouldAgreeWithAListOfAllBatchesRegardlessOfOtherProducers() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            long producer = 1000 + round;
            List<int[]> batches = new ArrayList<>();
            List<Long> offsets = new ArrayList<>();
            int sequence = Integer.MAX_VALUE - random.nextInt(200);
            for (int i = 1 + random.nextInt(100); i > 0; i--) {
                int count = 1 + random.nextInt(5);
                offsets.add(add(producer, 0, sequence, count));
                batches.add(new int[] {sequence, count});
                sequence = sequence + count & Integer.MAX_VALUE;
                if (random.nextInt(4) == 0) {
                    addOfAnother();
                }
            }
            boolean areKnown = true;
            for (int i = batches.size() - 1; i >= 0; i--) {
                int[] batch = batches.get(i);
                long found = states.check(Batches.of(1, batch[1], "", producer, 0, batch[0]), 0);
                areKnown &= found >= 0;
                assertThat(found).isEqualTo(areKnown ? offsets.get(i) : ProducerStates.REPEATED);
                assertThat(areKnown || batches.size() - i > 4).as("batch " + i).isTrue();
            }
            ByteBuffer next = Batches.of(1, 1, "", producer, 0, sequence);
            assertThat(states.check(next, 0)).isEqualTo(ProducerStates.NEXT);
        }
    }
}
