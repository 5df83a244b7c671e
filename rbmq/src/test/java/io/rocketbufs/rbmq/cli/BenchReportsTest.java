package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import io.rocketbufs.json.Json;
import java.util.List;
import org.junit.jupiter.api.Test;

final class BenchReportsTest {
    private static final Config HUNDRED_SENT = Json.parse("{\"sent\":100,\"per_s\":50.5}");

    @Test
    void shouldFindNoLossWhenEachSubscriberReceivedAll() {
        assertThat(reports(subscriber(100, 0), subscriber(100, 0)).lost()).isZero();
    }

    @Test
    void shouldCountMessagesMissingAtTheEnd() {
        assertThat(reports(subscriber(90, 0), subscriber(100, 0)).lost()).isEqualTo(10);
    }

    @Test
    void shouldDetectALossDespiteADuplicate() {
        assertThat(reports(subscriber(100, 3)).lost()).isEqualTo(3);
    }

    @Test
    void shouldSumAllProcesses() {
        BenchReports reports =
                new BenchReports(List.of(HUNDRED_SENT, HUNDRED_SENT), List.of(subscriber(200, 1), subscriber(200, 2)));
        assertThat(reports.sent()).isEqualTo(200);
        assertThat(reports.publishedPerSecond()).isEqualTo(101);
        assertThat(reports.perSubscriber()).containsExactly(7.0, 7.0);
        assertThat(reports.sumOf("duplicated")).isEqualTo(3);
    }

    private static BenchReports reports(Config... subscribers) {
        return new BenchReports(List.of(HUNDRED_SENT), List.of(subscribers));
    }

    private static Config subscriber(long received, long duplicated) {
        String counts = "\"received\":" + received + ",\"duplicated\":" + duplicated;
        return Json.parse("{" + counts + ",\"each\":[{" + counts + ",\"per_s\":7}]}");
    }
}
