package io.rocketbufs.livestream.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.livestream.page.PageReading.PeerReading;
import io.rocketbufs.livestream.page.ServerFacts.PeerFacts;
import io.rocketbufs.livestream.page.ServerFacts.StreamFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PageWatchTest {
    private static final long SECOND_NS = 1_000_000_000L;

    private final List<PeerFacts> peers = new ArrayList<>();
    private final List<StreamFacts> streams = new ArrayList<>();
    private long received;
    private final PageWatch watch = new PageWatch(() -> new ServerFacts(null, streams, peers, received, 0, 0));
    private long nowS;

    private PageReading readLater() {
        watch.read(++nowS * SECOND_NS);
        return watch.reading();
    }

    private void viewer(long sent, long waiting, long lost) {
        peers.clear();
        peers.add(new PeerFacts("10.0.0.7:1000", nowS * 1000, "cam", sent, waiting, lost));
    }

    @Test
    void shouldAverageRatesOverTheWindow() {
        assertThat(readLater().inRate()).isNull();
        received = 1000;
        assertThat(readLater().inRate()).isEqualTo(1000.0);
        for (int i = 0; i < 3; i++) {
            readLater();
        }
        assertThat(watch.reading().inRate()).isEqualTo(250.0);
        for (int i = 0; i < Meter.READINGS; i++) {
            readLater();
        }
        assertThat(watch.reading().inRate()).isZero();
        assertThat(watch.reading().windowMs()).isEqualTo(10_000);
        assertThat((List<?>) watch.history().get("inBytesPerSecond"))
                .hasSize(14)
                .first()
                .isEqualTo(1000.0);
    }

    @Test
    void shouldNameAPeerThatReceivesNothingAlthoughDataWaits() {
        viewer(500, 300, 0);
        readLater();
        assertThat(readLater().slow()).isEmpty();
        PeerReading slow = readLater().slow().get(0);
        assertThat(slow.stalledMs()).isEqualTo(2000);
        assertThat(slow.json()).containsEntry("address", "10.0.0.7:1000").containsEntry("waitingBytes", 300L);
        viewer(501, 299, 0);
        assertThat(readLater().slow()).isEmpty();
        viewer(501, 0, 0);
        for (int i = 0; i < 5; i++) {
            assertThat(readLater().slow()).isEmpty();
        }
    }

    @Test
    void shouldNameAPeerThatLosesDataUntilTheWindowHasPassed() {
        viewer(0, 0, 0);
        readLater();
        viewer(100, 0, 70);
        assertThat(readLater().slow().get(0).lately()).isEqualTo(70);
        for (int i = 1; i < Meter.READINGS; i++) {
            assertThat(readLater().slow()).hasSize(1);
        }
        assertThat(readLater().slow()).isEmpty();
    }

    @Test
    void shouldNotTakeARestartedStreamForATrafficBurst() {
        readLater();
        streams.add(stream("cam", 5000, 0));
        assertThat(readLater().streams().get(0).rate()).isEqualTo(5000.0);
        streams.set(0, stream("cam", 100, 0));
        assertThat(readLater().streams().get(0).rate()).isEqualTo(2500.0);
        streams.set(0, stream("cam", 500, 0));
        assertThat(readLater().streams().get(0).rate()).isEqualTo(1800.0);
    }

    @Test
    void shouldSortAndCutAThousandViewersWithoutReadingAgain() {
        for (int i = 0; i < 1000; i++) {
            peers.add(new PeerFacts("10.0.0.7:" + (1000 + i), 0, "cam" + i % 7, 0, i, 0));
        }
        readLater();
        Map<String, Object> answer = new RowQuery<>(Map.of("sort", "waiting", "limit", "2"), PeerSort.STALLED)
                .select(watch.reading().peers(), "viewers");
        assertThat(answer).containsEntry("total", 1000).containsEntry("shown", 2);
        assertThat(answer.get("viewers").toString()).contains("10.0.0.7:1999", "10.0.0.7:1998");
        assertThat(new RowQuery<>(Map.of("filter", "CAM3"), PeerSort.STALLED)
                        .select(watch.reading().peers(), "viewers"))
                .containsEntry("matching", 143);
    }

    @Test
    void shouldFindTheStreamThatIsFurthestBehind() {
        streams.add(stream("a", 0, 10));
        streams.add(stream("b", 0, 8200));
        assertThat(readLater().latest().name()).isEqualTo("b");
        readLater();
        assertThat(watch.history().get("behindSeconds")).isEqualTo(List.of(8.2));
    }

    private static StreamFacts stream(String name, long received, long behindMs) {
        return new StreamFacts(name, "live", "", 0, 1, received, behindMs, behindMs, 0, null);
    }
}
