package io.rocketbufs.rbmq.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.rbmq.Messages;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.client.Headers;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rbmq.client.WhenUnheard;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
@Timeout(600)
final class PubCommandTest {
    private final RunningBroker running =
            new RunningBroker("rbmq.broker.capacity = 1000", "rbmq.subscriber.capacity = 1000");
    private final CountDownLatch release = new CountDownLatch(1);
    private final long beginNs = System.nanoTime();
    private final Messages messages = new Messages();
    private final RecordedStreams recorded = new RecordedStreams("rbmq");

    @BeforeEach
    void subscribe() throws Exception {
        running.subscriber().subscribe("t", messages).ready().get(60, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() {
        release.countDown();
        running.close();
    }

    @Test
    void shouldPublishTheLinesBeforeAnInputFailure() {
        InputStream failing = new InputStream() {
            private final InputStream before = new ByteArrayInputStream("one\ntwo\nhalf a li".getBytes(UTF_8));

            @Override
            public int read() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                int count = before.read(into, offset, length);
                if (count < 0) {
                    throw new IOException("Input/output error");
                }
                return count;
            }
        };
        assertThat(pub(failing, "t", "--lines")).isEqualTo(1);
        assertThat(recorded.err())
                .isEqualTo("rbmq: standard input cannot be read: Input/output error\n"
                        + "rbmq: the broker confirmed every message published before that (2)\n");
        await().until(() -> messages.count() >= 2);
        assertThat(messages.texts()).containsExactly("one", "two");
    }

    @Test
    void shouldPublishNothingAfterAMessageThatIsTooLong() {
        String tooLong = "x".repeat(100);
        assertThat(pub(InputStream.nullInputStream(), "t", "a", tooLong, "b", "--set", "rbmq.publisher.capacity=50"))
                .isEqualTo(1);
        assertThat(recorded.err())
                .isEqualTo("rbmq: a message is longer than the 46 bytes that rbmq.publisher.capacity allows\n"
                        + "rbmq: the broker confirmed every message published before that (1)\n");
        await().until(() -> messages.count() >= 1);
        assertThat(messages.texts()).containsExactly("a");
    }

    @Test
    void shouldSucceedWhenMessagesAreDroppedForLackOfSubscribers() throws Exception {
        Publisher publisher = running.publisher(running.client().withWhenUnheard(WhenUnheard.DROP));
        TopicPublisher topic = publisher.topic("unheard");
        topic.announced().get(60, TimeUnit.SECONDS);
        Publication publication = new Publication(
                publisher, topic, new Headers(), recorded.withoutInput(), Duration.ofSeconds(10), RateLimit.of(null));
        assertThat(publication.publish(new byte[3], 0, 3)).isTrue();
        assertThat(publication.finish()).isZero();
        assertThat(recorded.err())
                .isEqualTo("rbmq: dropped 1 of 1 messages, because topic \"unheard\" had no subscribers"
                        + " (rbmq.publisher.when-unheard = drop)\n");
    }

    @Test
    void shouldPublishLinesThatHaveArrivedBeforeItWaitsForMore() {
        InputStream lines = new InputStream() {
            private int readCount;

            @Override
            public int read() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] into, int offset, int length) {
                int expected = readCount * 2;
                await().until(() -> messages.count() == expected);
                byte[] bytes = "first\nsecond\n".getBytes(UTF_8);
                System.arraycopy(bytes, 0, into, offset, bytes.length);
                return readCount++ < 3 ? bytes.length : -1;
            }
        };
        assertThat(pub(lines, "t", "--lines")).as(recorded.err()).isZero();
        assertThat(messages.texts()).containsExactly("first", "second", "first", "second", "first", "second");
    }

    @Test
    void shouldPublishArgumentsAsTheyAre() {
        assertThat(pub(InputStream.nullInputStream(), "t", "@name", "-5", "--", "-hot", "-h", "--lines"))
                .as(recorded.err())
                .isZero();
        await().until(() -> messages.count() >= 5);
        assertThat(messages.texts()).containsExactly("@name", "-5", "-hot", "-h", "--lines");
    }

    @Test
    void shouldPublishStandardInputAsOneMessage() {
        assertThat(pub(new ByteArrayInputStream("one\ntwo\n".getBytes(UTF_8)), "t", "--file", "-"))
                .as(recorded.err())
                .isZero();
        await().until(() -> messages.count() >= 1);
        assertThat(messages.texts()).containsExactly("one\ntwo\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--lines", "--file=-"})
    void shouldEndWhenTheBrokerIsLostWhileNoInputArrives(String source) {
        InputStream silent = new InputStream() {
            @Override
            public int read() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] into, int offset, int length) {
                running.loseBroker();
                awaitRelease();
                return -1;
            }
        };
        assertThat(pub(silent, "t", source, "--no-reconnect"))
                .as(recorded.err())
                .isEqualTo(69);
        assertThat(recorded.err()).isEqualTo("rbmq: the connection to the broker was lost\n");
    }

    @Test
    void shouldGiveUpWhenTheConnectionHasBeenLostForTheGivenTime() {
        InputStream silent = new InputStream() {
            @Override
            public int read() {
                running.loseBroker();
                awaitRelease();
                return -1;
            }
        };
        assertThat(pub(silent, "t", "--lines", "--give-up-after", "50ms"))
                .as(recorded.err())
                .isEqualTo(69);
        assertThat(recorded.err())
                .matches("rbmq: the connection to the broker was lost: [^\n]+; reconnecting\n"
                        + "rbmq: the connection to the broker was lost\n");
        assertThat(pub(silent, "t", "m", "--give-up-after", "1s", "--no-reconnect"))
                .isEqualTo(2);
    }

    @Test
    void shouldPublishStandardInputAsOneMessageWhenNoOtherSourceIsGiven() {
        assertThat(pub(new ByteArrayInputStream("one\ntwo\n".getBytes(UTF_8)), "t"))
                .as(recorded.err())
                .isZero();
        await().until(() -> messages.count() >= 1);
        assertThat(messages.texts()).containsExactly("one\ntwo\n");
    }

    @Test
    void shouldAcceptOnlyOneSourceOfMessages() {
        assertThat(pub(InputStream.nullInputStream(), "t", "one", "--lines")).isEqualTo(2);
        assertThat(pub(InputStream.nullInputStream(), "t", "--lines", "--file", "-"))
                .isEqualTo(2);
        assertThat(recorded.err().lines().toList())
                .filteredOn(line -> line.equals("rbmq: MESSAGE, --lines and --file are mutually exclusive"))
                .hasSize(2);
    }

    @Test
    void shouldPublishNoFasterThanTheGivenRate() {
        assertThat(pub(InputStream.nullInputStream(), "t", "a", "b", "c", "d", "--rate", "20"))
                .as(recorded.err())
                .isZero();
        // Four messages have three intervals of 50 ms, and a late message may shorten the next interval by 10 ms.
        assertThat(System.nanoTime() - beginNs).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(140));
        await().until(() -> messages.count() >= 4);
        assertThat(messages.texts()).containsExactly("a", "b", "c", "d");
    }

    @Test
    void shouldRefuseARateThatIsNotPositive() {
        assertThat(pub(InputStream.nullInputStream(), "t", "a", "--rate", "0")).isEqualTo(2);
        assertThat(recorded.err()).startsWith("rbmq: --rate 0: must be positive\n");
    }

    @Test
    void shouldStopReadingALineThatIsTooLong() {
        InputStream endless = new InputStream() {
            private long count;

            @Override
            public int read() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] into, int offset, int length) {
                assertThat(count).isLessThan(1 << 20);
                Arrays.fill(into, offset, offset + length, (byte) (count == 0 ? '\n' : 'x'));
                count += length;
                return length;
            }
        };
        assertThat(pub(endless, "t", "--lines", "--set", "rbmq.publisher.capacity=100 KiB"))
                .isEqualTo(1);
        assertThat(recorded.err()).contains("a message is longer than the 102396 bytes");
    }

    @Test
    void shouldStopReadingAFileThatIsTooLong() {
        assertThat(pub(InputStream.nullInputStream(), "t", "--file", "/dev/zero"))
                .isEqualTo(1);
        assertThat(recorded.err()).contains("a message is longer than the 1048572 bytes");
        assertThat(messages.texts()).isEmpty();
    }

    @Test
    void shouldTellInPlainWordsWhyAFileCannotBeRead() {
        pub(InputStream.nullInputStream(), "t", "--file", "/no/such/file");
        assertThat(recorded.err()).isEqualTo("rbmq: /no/such/file: cannot be read: no such file or directory\n");
    }

    @Test
    void shouldShowTheBrokersReasonWhenItRefusesTheTopic() {
        pub(InputStream.nullInputStream(), "t", "a", "--set", "rbmq.publisher.capacity=128 MiB");
        assertThat(recorded.err())
                .startsWith("rbmq: the broker refused topic \"t\": capacity=134217728 exceeds"
                        + " rbmq.broker.max-capacity=67108864\n");
    }

    @Test
    void shouldGiveUpWhenTheBrokerConsumesNothingWhileItPublishes() throws Exception {
        stuckSubscriber();
        InputStream lines =
                new ByteArrayInputStream("0123456789\n".repeat(400_000).getBytes(UTF_8));
        assertThat(pub(lines, "stuck", "--lines", "--timeout", "500ms")).isEqualTo(5);
        assertThat(recorded.err())
                .contains(
                        "rbmq: the broker has consumed nothing for 0.5 s\n",
                        " messages were not confirmed by the broker");
    }

    @Test
    void shouldGiveUpWhenTheBrokerConsumesNothingAtTheEnd() throws Exception {
        stuckSubscriber();
        // If reconnecting is disabled, sent messages do not occupy the publisher's buffer, so both buffers combined
        // hold all messages.
        InputStream lines = new ByteArrayInputStream("0123456789\n".repeat(1750).getBytes(UTF_8));
        String capacity = "rbmq.publisher.capacity=10 KiB";
        assertThat(pub(lines, "stuck", "--lines", "--timeout", "500ms", "--no-reconnect", "--set", capacity))
                .isEqualTo(5);
        // On a busy machine, the publisher may give up before it has published all messages.
        assertThat(recorded.err())
                .matches("rbmq: the broker has consumed nothing for 0.5 s\n"
                        + "rbmq: [0-9]+ of [0-9]+ messages were not confirmed by the broker .*\n");
    }

    /** Connects a subscriber whose handler blocks, so that the broker consumes nothing. Its buffers fill up quickly. */
    private void stuckSubscriber() throws Exception {
        Subscriber subscriber = running.opened(Subscriber.connect(
                running.another(), running.client().withCapacities(1000, 1000), new SubscriberCallback() {}));
        subscriber.subscribe("stuck", message -> awaitRelease()).ready().get(60, TimeUnit.SECONDS);
    }

    private void awaitRelease() {
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private int pub(InputStream in, String... arguments) {
        List<String> all = new ArrayList<>(List.of("pub"));
        all.addAll(List.of("--broker", "127.0.0.1:" + running.address().getPort()));
        all.addAll(List.of("--set", "rocketbufs.close-timeout=200 ms"));
        all.addAll(List.of(arguments));
        return Main.run(all.toArray(String[]::new), recorded.withInput(in));
    }
}
