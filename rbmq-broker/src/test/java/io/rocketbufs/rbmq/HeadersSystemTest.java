package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.Role;
import io.rocketbufs.rbmq.client.Claim;
import io.rocketbufs.rbmq.client.Headers;
import io.rocketbufs.rbmq.client.Message;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rbmq.protocol.Features;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests of messages with headers, sent from publishers through a broker to subscribers. The publishers' buffers are so
 * small that many messages wrap.
 */
@Timeout(600)
final class HeadersSystemTest {
    private static final int CAPACITY = 100;
    private static final byte[] HELLO = "xhello".getBytes(UTF_8);

    private final RunningBroker running = new RunningBroker("rbmq.publisher.capacity = " + CAPACITY);
    private final List<String> received = new CopyOnWriteArrayList<>();
    private final List<String> errors = new CopyOnWriteArrayList<>();
    private final Headers headers = new Headers().set("k", "v").set("time", 12);

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    void shouldDeliverHeadersWithEveryMethodThatPublishes() throws Exception {
        Subscriber subscriber = subscriber("t");
        TopicPublisher topic = running.publisher().topic("t");
        topic.publish(headers, HELLO);
        topic.publish(headers, HELLO, 1, 5);
        topic.publish(headers, HELLO, 1, 4, 10_000);
        topic.publish(headers, ByteBuffer.wrap(HELLO, 2, 4));
        headers.clear();
        awaitPublished(() -> topic.tryPublish(headers, HELLO));
        topic.publish(HELLO);
        awaitReceived(
                "k=v time=12 xhello", "k=v time=12 hello", "k=v time=12 hell", "k=v time=12 ello", "xhello", "xhello");
        headers.set("again", "");
        awaitPublished(() -> topic.tryPublish(headers, HELLO));
        awaitPublished(() -> topic.tryPublish(headers, HELLO, 5, 1));
        awaitPublished(() -> topic.tryPublish(headers, ByteBuffer.allocate(0)));
        awaitReceived("again= xhello", "again= o", "again= ");
        assertThat(topic.publishedLength()).isEqualTo(6 + 5 + 4 + 4 + 6 + 6 + 6 + 1);
        await().until(() -> subscriber.receivedLength() == topic.publishedLength());
        assertThat(topic.publishedCount()).isEqualTo(9);
    }

    @Test
    void shouldWriteTheMessageOfAClaimBehindItsHeaders() throws Exception {
        subscriber("t");
        TopicPublisher topic = running.publisher().topic("t");
        Claim claim = topic.claim(5, headers);
        assertThat(claim.length()).isEqualTo(5);
        claim.put(0, HELLO, 1, 5);
        assertThatThrownBy(() -> claim.putByte(5, (byte) 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> claim.putByte(-1, (byte) 0)).isInstanceOf(IndexOutOfBoundsException.class);
        headers.set("k", "changed while the claim is open");
        assertThat(claim.commit()).isEqualTo(PublishResult.PUBLISHED);
        awaitReceived("k=v time=12 hello");

        headers.set("k", "w");
        topic.claim(40, headers).abort();
        Claim plain = topic.claim(1);
        Claim shorter = topic.tryClaim(40, headers);
        shorter.put(0, HELLO, 0, 6);
        plain.putByte(0, (byte) 'p');
        shorter.commit(6);
        plain.commit();
        topic.claim(40, headers).commit(0);
        Claim without = topic.claim(1, headers.clear());
        without.putByte(0, (byte) 'w');
        without.commit();
        awaitReceived("time=12 k=w xhello", "p", "time=12 k=w ", "w");
        assertThat(topic.publishedLength()).isEqualTo(5 + 6 + 1 + 1);
    }

    @Test
    void shouldDeliverHeadersWhereverAMessageWraps() throws Exception {
        subscriber("t");
        TopicPublisher topic = running.publisher().topic("t");
        for (int i = 0; i < 300; i++) {
            headers.set("n", i);
            String payload = "x".repeat(i % 37);
            if (i % 2 == 0) {
                topic.publish(headers, payload.getBytes(UTF_8));
                continue;
            }
            Claim claim = topic.claim(payload.length(), headers);
            for (int v = 0; v < claim.vecCount(); v++) {
                ByteBuffer vec = claim.vec(v);
                while (vec.hasRemaining()) {
                    vec.put((byte) 'x');
                }
            }
            claim.commit();
        }
        await().until(() -> received.size() == 300);
        for (int i = 0; i < 300; i++) {
            assertThat(received.get(i)).isEqualTo("k=v time=12 n=" + i + " " + "x".repeat(i % 37));
        }
        assertThat(errors).isEmpty();
    }

    @Test
    void shouldDeliverHeadersToEverySubscriptionAndStopAtAMessageWithHeaders() throws Exception {
        Subscriber subscriber = subscriber("t");
        List<String> filtered = new CopyOnWriteArrayList<>();
        CompletableFuture<Subscription> own = new CompletableFuture<>();
        Subscription pausing = subscriber.subscribe("#", message -> {
            filtered.add(text(message));
            if (filtered.size() % 10 == 0) {
                own.join().pause();
            }
        });
        pausing.ready().get(60, TimeUnit.SECONDS);
        own.complete(pausing);
        TopicPublisher topic = running.publisher().topic("t");
        CompletableFuture<Void> publishing = CompletableFuture.runAsync(() -> {
            for (int i = 1; i <= 100; i++) {
                byte[] payload = Integer.toString(i).getBytes(UTF_8);
                if (i % 3 == 0) {
                    topic.publish(payload);
                } else {
                    topic.publish(headers, payload);
                }
            }
        });
        for (int count = 10; count <= 100; count += 10) {
            int expected = count;
            await().until(() -> pausing.isPaused() && filtered.size() == expected);
            assertThat(received).isEqualTo(filtered);
            assertThat(filtered).last().isEqualTo((count % 3 == 0 ? "" : "k=v time=12 ") + count);
            pausing.resume();
        }
        publishing.get(60, TimeUnit.SECONDS);
        assertThat(received).hasSize(100);
        assertThat(errors).isEmpty();
    }

    @Test
    void shouldCountHeadersIntoTheLongestMessage() throws Exception {
        subscriber("t");
        TopicPublisher topic = running.publisher().topic("t");
        int longest = topic.longestMessage() - headers.encodedLength();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> topic.publish(headers, new byte[longest + 1]))
                .withMessage("length=" + (longest + 1) + " headers.encodedLength=" + headers.encodedLength()
                        + " longestMessage=96 topic=t");
        assertThatIllegalArgumentException().isThrownBy(() -> topic.claim(longest + 1, headers));
        assertThatIllegalArgumentException().isThrownBy(() -> topic.claim(Integer.MAX_VALUE, headers));
        assertThatIllegalArgumentException().isThrownBy(() -> topic.claim(-1, headers));
        headers.set("k", new byte[100]);
        assertThatIllegalArgumentException().isThrownBy(() -> topic.publish(headers, new byte[0]));
        headers.set("k", "v");
        assertThat(topic.publish(headers, new byte[longest])).isEqualTo(PublishResult.PUBLISHED);
        await().until(() -> received.size() == 1);
    }

    /** A failed call must not reserve space, because that would block all later messages. */
    @Test
    void shouldTakeNoSpaceWhenAnArgumentIsWrong() throws Exception {
        subscriber("t");
        TopicPublisher topic = running.publisher().topic("t");
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> topic.publish(headers, HELLO, 3, 4)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> topic.tryPublish(headers, HELLO, -1, 4))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatNullPointerException().isThrownBy(() -> topic.publish((Headers) null, HELLO));
            assertThatNullPointerException().isThrownBy(() -> topic.claim(1, null));
        }
        assertThat(topic.publish(headers, HELLO)).isEqualTo(PublishResult.PUBLISHED);
        awaitReceived("k=v time=12 xhello");
    }

    @Test
    void shouldReturnNoSpaceWhenHeadersAndMessageDoNotFit() {
        TopicPublisher topic = running.publisher().topic("t");
        Claim claim = topic.claim(60);
        assertThat(topic.tryPublish(headers, new byte[30])).isEqualTo(PublishResult.NO_SPACE);
        assertThat(topic.tryClaim(30, headers).refusal()).isEqualTo(PublishResult.NO_SPACE);
        assertThat(topic.tryPublish(headers, new byte[10])).isEqualTo(PublishResult.PUBLISHED);
        claim.abort();
    }

    @Test
    void shouldAnnounceThatHeadersAreUnderstood() {
        assertThat(running.publisher().broker().features() & Features.HEADERS).isEqualTo(4);
    }

    @Test
    void shouldEndOnlyTheSubscriptionToThePublisherWhoseHeadersAreMalformed() throws Exception {
        Subscriber subscriber = subscriber("t");
        RawClient hostile = hostile("t");
        hostile.deliver(1, frame(0, 4, 0x84, 0, 1, '7', 'o', 'k'));
        awaitReceived("time=7 ok");
        hostile.deliver(1, frame(0, 4, 0x84, 0, 2, '7', 'o', 'k'));
        await().until(() -> errors.size() == 1);
        assertThat(errors.get(0))
                .startsWith("t publisher ")
                .endsWith(": a frame has malformed headers: header 1 is longer than the rest of the headers");
        await().until(() -> running.broker().state().malformedCount() == 1);
        running.publisher().topic("t").publish(headers, HELLO);
        awaitReceived("k=v time=12 xhello");
        assertThat(subscriber.malformedCount()).isEqualTo(1);
        assertThat(subscriber.isConnected()).isTrue();
    }

    /** Sends random frames, each to a separate topic. None of them may end the subscriber's connection. */
    @Test
    void shouldSurviveRandomFramesThatClaimToHaveHeaders() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int count = 100;
        String[] topics = new String[count];
        for (int i = 0; i < count; i++) {
            topics[i] = "topic " + i;
        }
        Subscriber subscriber = subscriber(topics);
        RawClient hostile = new RawClient(running, Role.PUBLISHER);
        for (int i = 0; i < count; i++) {
            hostile.createBuffer(i + 1, 1000);
            hostile.announce(i + 1, 1000, topics[i]);
            int[] body = random.ints(random.nextInt(60), 0, 256).toArray();
            if (body.length > 1 && random.nextBoolean()) {
                body[0] = 0;
            }
            hostile.deliver(i + 1, frame(body));
        }
        await().until(() -> errors.size() + received.size() == count);
        assertThat(subscriber.malformedCount()).as("seed %d", seed).isEqualTo(errors.size());
        assertThat(errors).as("seed %d", seed).isNotEmpty().allMatch(error -> error.contains("malformed headers"));
        assertThat(subscriber.failedCount()).as("seed %d", seed).isZero();
        running.publisher().topic("topic 1").publish(headers, HELLO);
        await().until(() -> received.contains("k=v time=12 xhello"));
        assertThat(subscriber.isConnected()).as("seed %d", seed).isTrue();
    }

    private RawClient hostile(String topic) throws Exception {
        RawClient hostile = new RawClient(running, Role.PUBLISHER);
        hostile.createBuffer(1, 1000);
        hostile.announce(1, 1000, topic);
        return hostile;
    }

    /** Returns a frame with bit 31 of its length set. */
    private static byte[] frame(int... body) {
        ByteBuffer frame = ByteBuffer.allocate(4 + body.length).putInt(body.length | Integer.MIN_VALUE);
        for (int each : body) {
            frame.put((byte) each);
        }
        return frame.array();
    }

    private Subscriber subscriber(String... topics) throws Exception {
        SubscriberCallback callback = new SubscriberCallback() {
            @Override
            public void onError(String topic, int publisher, Throwable error) {
                errors.add(topic + " " + error.getMessage());
            }
        };
        Subscriber subscriber = running.subscriber(running.subscriberSettings(), callback);
        for (String topic : topics) {
            subscriber.subscribe(topic, this::onMessage).ready().get(60, TimeUnit.SECONDS);
        }
        return subscriber;
    }

    private void onMessage(Message message) {
        received.add(text(message));
    }

    private static String text(Message message) {
        StringBuilder text = new StringBuilder();
        message.headers()
                .forEach(header -> text.append(header.key())
                        .append('=')
                        .append(header.text())
                        .append(' '));
        return text + new String(message.toBytes(), UTF_8);
    }

    /** Retries publishing until there is space. */
    private static void awaitPublished(Callable<PublishResult> publishing) {
        await().until(publishing, result -> result == PublishResult.PUBLISHED);
    }

    /** Waits for the next messages and checks that they are the given ones. */
    private void awaitReceived(String... messages) {
        await().until(() -> received.size() >= messages.length);
        assertThat(received).containsExactly(messages);
        received.clear();
    }
}
