package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.options.Start;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
class BeginningTest {
    private static final int RECORD_LENGTH = 10;

    private final DeliveryLog log = new DeliveryLog(64, false);
    private long end;

    /** Appends a record with which no other record is merged. */
    private void append() {
        log.append(end, RECORD_LENGTH, end, RECORD_LENGTH, null);
        end += RECORD_LENGTH;
    }

    private Beginning begin(Start start, long keep) {
        SubscriptionTerms terms = new SubscriptionTerms(1, null, 100, 100, null, true, start, 0, 1000, () -> {});
        return Beginning.of(terms, -1, null, new Expected[0], log, new Kept(keep), Long.MAX_VALUE);
    }

    @Test
    void shouldBeginWithTheLastRecordThatIsKeptAsAWhole() {
        append();
        append();
        assertThat(begin(Start.LAST, 10)).isEqualTo(new Beginning(10, 10, 10, 20));
        assertThat(begin(Start.LAST, 20)).isEqualTo(new Beginning(10, 10, 10, 20));
        assertThat(begin(Start.LAST, 9)).isEqualTo(new Beginning(20, 20, 20, 20));
        assertThat(begin(Start.LAST, 0)).isEqualTo(new Beginning(20, 20, 20, 20));
    }

    @Test
    void shouldBeginAnEmptyLogAtItsEnd() {
        assertThat(begin(Start.LAST, 10)).isEqualTo(new Beginning(0, 0, 0, 0));
        log.appendGap(5);
        assertThat(begin(Start.LAST, 10)).isEqualTo(new Beginning(5, 0, 0, 5));
    }

    @Test
    void shouldCountBytesLostBehindTheLastRecordAsNewer() {
        append();
        log.appendGap(5);
        append();
        log.appendGap(7);
        assertThat(begin(Start.OLDEST, 20)).isEqualTo(new Beginning(0, 0, 0, 25));
        assertThat(begin(Start.LAST, 20)).isEqualTo(new Beginning(15, 10, 10, 25));
        assertThat(begin(Start.at(20), 20)).isEqualTo(new Beginning(20, 15, 10, 25));
        assertThat(begin(Start.LIVE, 20)).isEqualTo(new Beginning(32, 20, 20, 32));
        assertThat(begin(Start.at(30), 20)).isEqualTo(new Beginning(30, 20, 20, 30));
    }
}
