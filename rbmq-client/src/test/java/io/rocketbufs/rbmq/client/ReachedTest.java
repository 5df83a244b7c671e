package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.protocol.TopicFilter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class ReachedTest {
    private final Reached reached = new Reached();

    @Test
    void shouldContinueAKnownBufferOnceAndANewOneAtItsBeginning() {
        Reached.Place place = new Reached.Place("t", 1, 100, 0, false, false, 150);
        reached.put(7, place);
        assertThat(reached.take(7)).isEqualTo(place);
        assertThat(reached.take(7)).isEqualTo(Reached.Place.NEW);
        assertThat(reached.take(8).position()).isZero();
    }

    @Test
    void shouldCountTheBuffersWhosePublishersAreNotKnownToHaveLeft() {
        reached.put(1, new Reached.Place("a/1", 1, 0, 0, false, false, 0));
        reached.put(2, new Reached.Place("a/2", 1, 0, 0, false, false, 0));
        reached.put(3, new Reached.Place("a/3", 1, 0, 0, true, false, 0));
        assertThat(reached.count(TopicFilter.of("a/+"))).isEqualTo(2);
        reached.remove(2);
        assertThat(reached.count(TopicFilter.of("a/+"))).isEqualTo(1);
        assertThat(reached.count(TopicFilter.of("b"))).isZero();
    }

    @Test
    void shouldRememberDeparturesUntilTheyAreReported() {
        reached.begin(1);
        reached.depart("u/+");
        reached.put(1, new Reached.Place("t", 1, 0, 0, false, false, 0));
        assertThat(reached.takeDeparted()).containsExactly("t", "u/+");
        assertThat(reached.takeDeparted()).isEmpty();
        assertThat(reached.isOf(1)).isTrue();
        reached.depart("u/+");
        reached.begin(2);
        assertThat(reached.takeDeparted()).isEmpty();
        assertThat(reached.isOf(1)).isFalse();
    }

    @Test
    void shouldReturnThePlacesInBuffersThatHaveEndedUntilTheyAreContinuedOrForgotten() {
        Reached.Place ended = new Reached.Place("t", 3, 100, 0, false, true, 0);
        reached.put(1, ended);
        reached.put(2, new Reached.Place("u", 4, 100, 0, false, false, 0));
        assertThat(reached.ended()).containsExactly(ended);
        reached.take(1);
        assertThat(reached.ended()).isEmpty();
        reached.put(1, ended);
        reached.takeDeparted();
        assertThat(reached.ended()).isEmpty();
    }

    @Test
    void shouldReportOnlyWhatHadArrivedWhenItIsAbandoned() {
        reached.put(1, new Reached.Place("t", 3, 100, 24, false, false, 0));
        reached.put(2, new Reached.Place("u", 4, 100, 0, false, false, 0));
        assertThat(reached.takeAbandoned()).containsExactly(new Gap("t", 3, 24, Gap.Reason.DISCONNECTED));
        assertThat(reached.takeAbandoned()).isEmpty();
    }
}
