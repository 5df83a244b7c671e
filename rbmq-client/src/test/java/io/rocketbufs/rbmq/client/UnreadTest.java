package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.client.Unread.Stop;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class UnreadTest {
    private final Unread<String> unread = new Unread<>();
    private final String first = "first";
    private final String second = "second";

    @Test
    void shouldStopInTheOrderOfArrival() {
        unread.addGap(10, 3);
        unread.addBeginning(10, first);
        unread.addGap(10, 4);
        unread.addGap(20, 5);
        unread.addBeginning(30, second);
        assertThat(unread.nextPosition()).isEqualTo(10);
        assertThat(stops())
                .containsExactly(
                        new Stop<>(10, 3, null),
                        new Stop<>(10, 0, first),
                        new Stop<>(10, 4, null),
                        new Stop<>(20, 5, null),
                        new Stop<>(30, 0, second));
        assertThat(unread.nextPosition()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void shouldAddUpGapsAtOnePosition() {
        unread.addGap(10, 3);
        unread.addGap(10, 4);
        unread.addGap(11, 5);
        assertThat(stops()).containsExactly(new Stop<>(10, 7, null), new Stop<>(11, 5, null));
    }

    @Test
    void shouldKnowWhichSubscriptionsHaveNotBegun() {
        unread.addBeginning(10, first);
        unread.addBeginning(10, second);
        assertThat(unread.isBeginning(second)).isTrue();
        assertThat(unread.next().begins()).isSameAs(first);
        assertThat(unread.isBeginning(first)).isFalse();
        assertThat(unread.remove(first)).isFalse();
        assertThat(unread.remove(second)).isTrue();
        assertThat(unread.isBeginning(second)).isFalse();
        assertThat(stops()).isEmpty();
    }

    @Test
    void shouldMergeGapsWhenThereAreManyAndLoseNoByte() {
        for (int i = 0; i < 1_000_000; i++) {
            unread.addGap(i, 2);
        }
        unread.addBeginning(1_000_000, first);
        unread.addGap(1_000_001, 2);
        List<Stop<String>> stops = stops();
        assertThat(stops).hasSizeLessThan(2000);
        assertThat(stops.stream().mapToLong(Stop::lostLength).sum()).isEqualTo(2_000_002);
        assertThat(stops).isSortedAccordingTo((a, b) -> Long.compare(a.position(), b.position()));
    }

    @Test
    void shouldKeepTheEnd() {
        Unread.End end = new Unread.End("gone");
        assertThat(unread.end()).isNull();
        unread.endLater(end);
        assertThat(unread.end()).isSameAs(end);
    }

    private List<Stop<String>> stops() {
        List<Stop<String>> stops = new ArrayList<>();
        while (unread.nextPosition() < Long.MAX_VALUE) {
            stops.add(unread.next());
        }
        return stops;
    }
}
