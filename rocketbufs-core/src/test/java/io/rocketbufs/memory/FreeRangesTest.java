package io.rocketbufs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FreeRangesTest {
    private static final int SLAB_COUNT = 3;
    private static final int SLAB_LENGTH = 50;

    private final FreeRanges free = new FreeRanges();

    @Test
    void shouldTakeNothingWhenEmpty() {
        assertThat(free.take(1)).isEmpty();
    }

    @Test
    void shouldTakeTheShortestRangeThatFits() {
        Slab slab = slab(0, 100);
        free.add(new FreeRange(slab, 0, 30));
        free.add(new FreeRange(slab, 40, 10));
        free.add(new FreeRange(slab, 60, 20));

        assertThat(free.take(10)).contains(new FreeRange(slab, 40, 10));
        assertThat(free.take(10)).contains(new FreeRange(slab, 60, 10));
        assertThat(free.take(11)).contains(new FreeRange(slab, 0, 11));
    }

    @Test
    void shouldJoinBothNeighboursWhenTheGapBetweenThemIsAdded() {
        Slab slab = slab(0, 30);
        free.add(new FreeRange(slab, 0, 10));
        free.add(new FreeRange(slab, 20, 10));
        free.add(new FreeRange(slab, 10, 10));

        assertThat(free.count()).isEqualTo(1);
        assertThat(free.take(30)).contains(new FreeRange(slab, 0, 30));
    }

    @Test
    void shouldNotJoinSlabsWhenTheyAreNeighboursInMemory() {
        Slab lower = slab(0, 10);
        Slab upper = slab(10, 10);
        free.add(new FreeRange(upper, 10, 10));
        free.add(new FreeRange(lower, 0, 10));

        assertThat(free.count()).isEqualTo(2);
        assertThat(free.take(11)).isEmpty();
    }

    @Test
    void shouldAgreeWithABitPerByteWhenTakenAndAddedAtRandom() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        List<Slab> slabs = new ArrayList<>();
        List<BitSet> model = new ArrayList<>();
        for (int i = 0; i < SLAB_COUNT; i++) {
            Slab slab = slab((long) i * SLAB_LENGTH, SLAB_LENGTH);
            slabs.add(slab);
            free.add(new FreeRange(slab, slab.address(), slab.length()));
            BitSet bits = new BitSet();
            bits.set(0, SLAB_LENGTH);
            model.add(bits);
        }

        List<FreeRange> taken = new ArrayList<>();
        for (int step = 0; step < 20_000; step++) {
            String where = "seed=" + seed + ", step=" + step;
            if (taken.isEmpty() || random.nextInt(100) < 52) {
                int length = 1 + random.nextInt(random.nextBoolean() ? 5 : SLAB_LENGTH);
                Optional<FreeRange> expected = bestFit(slabs, model, length);
                assertThat(free.take(length)).as(where).isEqualTo(expected);
                expected.ifPresent(range -> {
                    setFree(slabs, model, range, false);
                    taken.add(range);
                });
            } else {
                FreeRange range = taken.remove(random.nextInt(taken.size()));
                free.add(range);
                setFree(slabs, model, range, true);
            }
            assertThat(free.count()).as(where).isEqualTo(runs(slabs, model).size());
        }
    }

    private static Optional<FreeRange> bestFit(List<Slab> slabs, List<BitSet> model, int length) {
        FreeRange best = null;
        for (FreeRange run : runs(slabs, model)) {
            if (run.length() >= length && (best == null || run.length() < best.length())) {
                best = run;
            }
        }
        return Optional.ofNullable(best).map(run -> new FreeRange(run.slab(), run.address(), length));
    }

    /** Returns the maximal runs of free bytes, ordered by address. */
    private static List<FreeRange> runs(List<Slab> slabs, List<BitSet> model) {
        List<FreeRange> runs = new ArrayList<>();
        for (int i = 0; i < slabs.size(); i++) {
            BitSet bits = model.get(i);
            for (int start = bits.nextSetBit(0); start >= 0; start = bits.nextSetBit(start)) {
                int end = bits.nextClearBit(start);
                runs.add(new FreeRange(slabs.get(i), slabs.get(i).address() + start, end - start));
                start = end;
            }
        }
        return runs;
    }

    private static void setFree(List<Slab> slabs, List<BitSet> model, FreeRange range, boolean isFree) {
        int start = (int) (range.address() - range.slab().address());
        BitSet bits = model.get(slabs.indexOf(range.slab()));
        assertThat(bits.get(start, start + (int) range.length()).cardinality())
                .isEqualTo(isFree ? 0 : (int) range.length());
        bits.set(start, start + (int) range.length(), isFree);
    }

    private static Slab slab(long address, long length) {
        return new Slab(RecordingPages.untouchable(address, length));
    }
}
