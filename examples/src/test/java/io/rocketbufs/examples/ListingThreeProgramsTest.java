package io.rocketbufs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.examples.RunningExample.Listening;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ListingThreeProgramsTest {
    /** More bytes than all buffers on the way have, so that the publisher runs out of space. */
    private static final int LINE_COUNT = 60_000;

    private static final String FILLING = ": " + "-".repeat(100);

    @Test
    void shouldPrintEveryLineThatIsPublishedWhenItIsSubscribed() throws Exception {
        try (Listening broker = RunningExample.startListening("ListingThreeBroker", "127.0.0.1:0");
                RunningExample publisher = RunningExample.start("ListingThreePublisher", "lines", broker.address())) {
            publisher.await("publishing lines");
            try (RunningExample subscriber =
                    RunningExample.start("ListingThreeSubscriber", "lines", broker.address())) {
                subscriber.await("subscribed to lines");
                List<String> expected = new ArrayList<>();
                List<String> printed = new ArrayList<>();
                for (int i = 0; i < LINE_COUNT; i++) {
                    publisher.write(i + FILLING);
                    expected.add(i + FILLING);
                }
                publisher.endInput();
                for (int i = 0; i < LINE_COUNT; i++) {
                    printed.add(subscriber.next());
                }
                assertThat(printed).isEqualTo(expected);
                subscriber.await("the topic has ended");
                assertThat(subscriber.awaitEnd()).isZero();
                assertThat(publisher.next()).matches("published " + LINE_COUNT + " lines, waited \\d+ times for space");
                assertThat(publisher.awaitEnd()).isZero();
            }
            broker.program().interrupt();
        }
    }
}
