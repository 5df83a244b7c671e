package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.Role;
import io.rocketbufs.rbmq.broker.RateWindow.Sample;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class RateWindowTest {
    private static final ConnectedClient CLIENT =
            new ConnectedClient(Role.PUBLISHER, "feed", null, "a:1", "tcp", "", 0, 0, new TrafficSum());

    private long nowMs = 1_000_000;
    private final RateWindow window = new RateWindow(this::reading, () -> nowMs * 1_000_000);
    private long received;
    private long sent;
    private ConnectedClient client = CLIENT;
    private Object topic = "the first topic";

    private int readings;
    private long tookMs;

    private BrokerReading reading() {
        readings++;
        long atMs = nowMs;
        nowMs += tookMs;
        Traffic traffic = new Traffic(received, received / 10, sent, sent / 20, 0);
        return new BrokerReading(
                atMs * 1_000_000,
                atMs,
                null,
                Map.of("t", new TopicReading("t", null, 1, 1, 0, traffic, Lag.NONE, topic)),
                0,
                Map.of("a:1", new ClientReading(client, 1, traffic, Lag.NONE)),
                List.of(),
                traffic,
                0,
                Lag.NONE);
    }

    private Sample after(long ms) {
        nowMs += ms;
        return window.read();
    }

    @Test
    void shouldNotKnowRatesUntilAWindowHasPassed() {
        assertThat(after(0).windowMs()).isZero();
        assertThat(after(500).windowMs()).isZero();
        assertThat(window.read().ofBroker().inBytes()).isNull();
        assertThat(after(399).windowMs()).isZero();
        assertThat(after(200).windowMs()).isEqualTo(1099);
    }

    @Test
    void shouldDivideTheChangeByTheWindow() {
        received = 1000;
        after(0);
        received += 5000;
        sent += 10_000;
        Sample sample = after(2000);
        Rates expected = new Rates(2500.0, 5000.0, 250.0, 250.0);
        assertThat(sample.windowMs()).isEqualTo(2000);
        assertThat(sample.ofBroker()).isEqualTo(expected);
        assertThat(sample.of(sample.now().topics().get("t"))).isEqualTo(expected);
        assertThat(sample.of(sample.now().clients().get("a:1"))).isEqualTo(expected);
    }

    @Test
    void shouldUseAnEarlierReadingForManyClientsThatAskAtTheSameTime() {
        after(0);
        after(1000);
        received = 1300;
        assertThat(after(300).windowMs()).isEqualTo(1300);
        assertThat(after(0).ofBroker().inBytes()).isBetween(999.9, 1000.1);
        assertThat(after(599).windowMs()).isEqualTo(1899);
        assertThat(after(200).windowMs()).isEqualTo(1099);
    }

    @Test
    void shouldReuseAReadingThatIsYoungerThan200Ms() {
        Sample first = after(0);
        assertThat(after(199)).isSameAs(first);
        assertThat(after(1)).isNotSameAs(first);
        assertThat(readings).isEqualTo(2);
    }

    @Test
    void shouldRestTenTimesAsLongAsAReadingTakes() {
        tookMs = 50;
        Sample first = after(0);
        assertThat(after(499)).isSameAs(first);
        assertThat(after(1)).isNotSameAs(first);
        tookMs = 2000;
        first = after(500);
        assertThat(after(4999)).isSameAs(first);
        assertThat(after(1)).isNotSameAs(first);
        assertThat(readings).isEqualTo(4);
    }

    @Test
    void shouldForgetAReadingThatIsTooOld() {
        after(0);
        assertThat(after(10_000).windowMs()).isEqualTo(10_000);
        assertThat(after(10_001).windowMs()).isZero();
        assertThat(after(1000).windowMs()).isEqualTo(1000);
    }

    @Test
    void shouldNotTakeAClientForAnotherThatHadTheSameAddress() {
        received = 5000;
        after(0);
        client = new ConnectedClient(Role.PUBLISHER, "feed", null, "a:1", "tcp", "", 0, 0, new TrafficSum());
        received = 6000;
        Sample sample = after(1000);
        assertThat(sample.of(sample.now().clients().get("a:1")).inBytes()).isEqualTo(6000);
    }

    @Test
    void shouldCountFromZeroWhenATopicBeginsAgain() {
        received = 5000;
        after(0);
        topic = "another topic";
        received = 6000;
        Sample sample = after(1000);
        assertThat(sample.of(sample.now().topics().get("t")).inBytes()).isEqualTo(6000);
    }

    @Test
    void shouldShowNoNegativeRate() {
        received = 5000;
        after(0);
        received = 10;
        assertThat(after(1000).ofBroker().inBytes()).isZero();
    }
}
