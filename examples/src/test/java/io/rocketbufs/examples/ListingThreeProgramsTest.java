package io.rocketbufs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.examples.RunningExample.Listening;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(600)
final class ListingThreeProgramsTest {
    /** More data than all buffers on the path can hold, so that the publisher runs out of space. */
    private static final List<String> LINES = lines(4_000);

    private static final InetSocketAddress ANY_PORT = new InetSocketAddress("127.0.0.1", 0);
    private static final String[] RDMA = {"-Drocketbufs.transport=rdma", "-D" + Rdma.PROVIDER};

    @Test
    void shouldWaitForASubscriberThatPausesAndPrintEveryLine() throws Exception {
        try (Listening broker = RunningExample.startListening("ListingThreeBroker", "127.0.0.1:0");
                RunningExample publisher = publisher(broker.address(), "lines");
                RunningExample subscriber = subscriber(broker.address(), "lines")) {
            subscriber.pause();
            publisher.writeAll(LINES);
            publisher.await("no space: waiting for the subscribers");
            subscriber.resume();
            for (String line : LINES) {
                assertThat(subscriber.next()).isEqualTo(line);
            }
            assertEnd(publisher, subscriber, LINES.size());
            broker.program().interrupt();
        }
    }

    @Test
    void shouldPrintEveryLineOverRdmaWithOnlyAChangedConfiguration() throws Exception {
        Rdma.assume();
        List<String> lines = lines(100);
        try (Listening broker = RunningExample.startListening(RDMA[0], RDMA[1], "ListingThreeBroker", "127.0.0.1:0");
                RunningExample publisher = publisher(broker.address(), "lines", RDMA);
                RunningExample subscriber = subscriber(broker.address(), "lines", RDMA)) {
            publisher.writeAll(lines);
            for (String line : lines) {
                assertThat(subscriber.next()).isEqualTo(line);
            }
            assertEnd(publisher, subscriber, lines.size());
        }
    }

    @Test
    void shouldForwardTopicsOfTwoBrokersThroughARelay() throws Exception {
        try (RocketBufs rocketBufs = RocketBufs.open();
                ListingThreeBroker eastern = new ListingThreeBroker(rocketBufs, ANY_PORT);
                ListingThreeBroker western = new ListingThreeBroker(rocketBufs, ANY_PORT);
                RunningExample east = publisher(address(eastern), "east");
                RunningExample west = publisher(address(western), "west");
                Listening relay = RunningExample.startListening(
                        "SplicingRelay", address(eastern), address(western), "127.0.0.1:0");
                RunningExample eastReader = subscriber(relay.address(), "east");
                RunningExample westReader = subscriber(relay.address(), "west")) {
            east.writeAll(List.of("sunrise"));
            west.writeAll(List.of("sunset", "night"));
            assertThat(eastReader.next()).isEqualTo("sunrise");
            assertThat(westReader.next()).isEqualTo("sunset");
            assertThat(westReader.next()).isEqualTo("night");
            assertEnd(east, eastReader, 1);
            assertEnd(west, westReader, 2);
            relay.program().interrupt();
        }
    }

    @Test
    void shouldReportThatATopicHasNoPublisher() throws Exception {
        try (RocketBufs rocketBufs = RocketBufs.open();
                ListingThreeBroker broker = new ListingThreeBroker(rocketBufs, ANY_PORT);
                RunningExample subscriber = RunningExample.start("ListingThreeSubscriber", "none", address(broker))) {
            subscriber.await("ListingThreeSubscriber: cannot subscribe to topic \"none\"; does it have a publisher? ");
            assertThat(subscriber.awaitEnd()).isEqualTo(1);
        }
    }

    private static RunningExample publisher(String broker, String topic, String... properties) throws Exception {
        RunningExample program = start(properties, "ListingThreePublisher", topic, broker);
        program.await("publishing " + topic);
        return program;
    }

    private static RunningExample subscriber(String broker, String topic, String... properties) throws Exception {
        RunningExample program = start(properties, "ListingThreeSubscriber", topic, broker);
        program.await("subscribed to " + topic);
        return program;
    }

    private static RunningExample start(String[] properties, String... arguments) throws IOException {
        return RunningExample.start(
                Stream.concat(Stream.of(properties), Stream.of(arguments)).toArray(String[]::new));
    }

    private static String address(ListingThreeBroker broker) {
        return "127.0.0.1:" + broker.address().getPort();
    }

    private static void assertEnd(RunningExample publisher, RunningExample subscriber, int count) throws Exception {
        subscriber.await("the topic has ended");
        assertThat(subscriber.awaitEnd()).isZero();
        assertThat(publisher.next()).matches("published " + count + " lines, waited \\d+ times for space");
        assertThat(publisher.awaitEnd()).isZero();
    }

    private static List<String> lines(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> i + ": " + "-".repeat(1_000))
                .toList();
    }
}
