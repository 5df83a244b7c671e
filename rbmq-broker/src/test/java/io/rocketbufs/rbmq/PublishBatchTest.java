package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.client.Claim;
import io.rocketbufs.rbmq.client.Headers;
import io.rocketbufs.rbmq.client.PublishBatch;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rbmq.client.WhenUnheard;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class PublishBatchTest {
    private static final int CAPACITY = 1000;
    /** Length of a message of ten bytes in the buffer. */
    private static final int FRAME = 14;

    private final RunningBroker running = new RunningBroker("rbmq.publisher.capacity = " + CAPACITY);
    private final Messages messages = new Messages();
    private Publisher publisher;
    private TopicPublisher topic;
    private PublishBatch batch;

    @BeforeEach
    void connect() throws Exception {
        running.subscriber().subscribe("t", messages).ready().get(60, TimeUnit.SECONDS);
        publisher = running.publisher();
        topic = publisher.topic("t");
        topic.announced().get(60, TimeUnit.SECONDS);
        batch = topic.batch();
    }

    @AfterEach
    void close() {
        running.close();
    }

    private void awaitTexts(String... texts) {
        await().until(() -> messages.count() >= texts.length);
        assertThat(messages.texts()).containsExactly(texts);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    @Test
    void shouldPublishNothingBeforeTheCallAndThenSeparateMessages() {
        assertThat(batch.add(bytes("one"))).isTrue();
        assertThat(batch.add(bytes("xtwox"), 1, 3)).isTrue();
        assertThat(batch.add(ByteBuffer.wrap(bytes("xthree"), 1, 5))).isTrue();
        assertThat(batch.tryAdd(new byte[0])).isTrue();
        assertThat(batch.count()).isEqualTo(4);
        assertThat(topic.publishedCount()).isZero();
        topic.publish(bytes("before"));
        assertThat(batch.publish()).isEqualTo(PublishResult.PUBLISHED);
        assertThat(batch.count()).isZero();
        awaitTexts("before", "one", "two", "three", "");
        assertThat(batch.publishedCount()).isEqualTo(4);
        assertThat(topic.publishedCount()).isEqualTo(5);
        assertThat(topic.publishedLength()).isEqualTo(6 + 3 + 3 + 5);
        assertThat(publisher.flush(60_000)).isTrue();
        assertThat(publisher.confirmedCount()).isEqualTo(5);
    }

    @Test
    void shouldPublishNothingWithAnEmptyBatch() {
        assertThat(batch.publish()).isEqualTo(PublishResult.PUBLISHED);
        batch.abort();
        batch.close();
        assertThat(topic.publishedCount()).isZero();
    }

    @Test
    void shouldPublishABatchManyTimesLongerThanTheBuffer() {
        Random random = new Random(16);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            String text = i + "-".repeat(random.nextInt(i % 100 == 0 ? 900 : 30));
            expected.add(text);
            assertThat(batch.add(bytes(text))).isTrue();
        }
        assertThat(batch.publish()).isEqualTo(PublishResult.PUBLISHED);
        assertThat(batch.publishedCount()).isEqualTo(20_000);
        await().until(() -> messages.count() == 20_000);
        assertThat(messages.texts()).isEqualTo(expected);
    }

    @Test
    void shouldAddTheLongestMessageAndRefuseALongerOne() {
        batch.add(bytes("first"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> batch.add(new byte[topic.longestMessage() + 1]))
                .withMessageContaining("longestMessage=" + (CAPACITY - 4));
        assertThatIllegalArgumentException().isThrownBy(() -> batch.claim(-1));
        assertThat(batch.count()).isEqualTo(1);
        String longest = "x".repeat(topic.longestMessage());
        assertThat(batch.add(bytes(longest))).isTrue();
        batch.publish();
        awaitTexts("first", longest);
    }

    @Test
    void shouldPublishWhatFitsWhenThereIsNoSpaceForTheRest() {
        Claim claim = topic.claim(CAPACITY - 4 - 3 * FRAME);
        int added = 0;
        while (batch.tryAdd(bytes("0123456789"))) {
            added++;
        }
        // The messages keep their space after they are sent, because the open claim precedes them.
        assertThat(added).isEqualTo(3);
        assertThat(batch.refusal()).isEqualTo(PublishResult.NO_SPACE);
        assertThat(batch.count()).isZero();
        assertThat(batch.publishedCount()).isEqualTo(3);
        assertThat(batch.tryClaim(10).refusal()).isEqualTo(PublishResult.NO_SPACE);
        claim.abort();
        await().until(() -> batch.tryAdd(bytes("later")));
        assertThat(batch.refusal()).isNull();
        batch.publish();
        awaitTexts("0123456789", "0123456789", "0123456789", "later");
    }

    @Test
    void shouldWaitForSpaceAtMostForTheTimeLimit() {
        Claim claim = topic.claim(CAPACITY - 4);
        assertThat(batch.add(bytes("a"), 0, 1, 0)).isFalse();
        CompletableFuture<PublishResult> refusal = CompletableFuture.supplyAsync(() -> {
            assertThat(batch.add(bytes("a"), 0, 1, 50)).isFalse();
            return batch.refusal();
        });
        assertThat(refusal.join()).isEqualTo(PublishResult.NO_SPACE);
        claim.abort();
    }

    @Test
    void shouldPublishThePartBeforeItWaitsForSpace() throws Exception {
        Claim claim = topic.claim(CAPACITY - 4 - 5 * FRAME);
        Thread waiting = new Thread(() -> {
            for (int i = 0; i < 8; i++) {
                batch.add(bytes("012345678" + i));
            }
            batch.publish();
        });
        waiting.start();
        await().until(() -> messages.count() == 5 && waiting.getState() == Thread.State.TIMED_WAITING);
        claim.abort();
        waiting.join();
        await().until(() -> messages.count() == 8);
        assertThat(messages.texts().get(7)).isEqualTo("0123456787");
    }

    @Test
    void shouldRefuseToWaitWhileTheCallerHasAnOpenBatchOrClaim() {
        batch.add(bytes("open"));
        assertThatIllegalStateException()
                .isThrownBy(() -> topic.publish(new byte[topic.longestMessage()]))
                .withMessageContaining("open claim or batch");
        batch.publish();
        Claim claim = topic.claim(CAPACITY - 4 - FRAME);
        batch.add(new byte[10]);
        assertThatIllegalStateException().isThrownBy(() -> batch.add(new byte[10]));
        assertThat(batch.count()).isZero();
        claim.abort();
        assertThat(batch.add(bytes("usable"))).isTrue();
        batch.publish();
        await().until(() -> messages.count() == 3);
        assertThat(messages.texts().get(2)).isEqualTo("usable");
    }

    @Test
    void shouldReportAnInterruptAndPublishThePartBeforeIt() {
        Claim claim = topic.claim(CAPACITY - 4 - FRAME);
        CompletableFuture<PublishResult> refusal = CompletableFuture.supplyAsync(() -> {
            batch.add(bytes("0123456789"));
            Thread.currentThread().interrupt();
            assertThat(batch.add(bytes("0123456789"))).isFalse();
            assertThat(Thread.interrupted()).isTrue();
            return batch.refusal();
        });
        assertThat(refusal.join()).isEqualTo(PublishResult.INTERRUPTED);
        assertThat(batch.publishedCount()).isEqualTo(1);
        claim.abort();
        awaitTexts("0123456789");
    }

    @Test
    void shouldPublishNothingAndReturnTheSpaceWhenAborted() {
        for (int i = 0; i < 100; i++) {
            batch.add(new byte[100]);
            batch.add(new byte[50]);
            batch.abort();
            assertThat(batch.count()).isZero();
        }
        try (PublishBatch closed = topic.batch()) {
            closed.add(bytes("never published"));
        }
        assertThat(topic.publishedCount()).isZero();
        assertThat(topic.tryPublish(new byte[topic.longestMessage()])).isEqualTo(PublishResult.PUBLISHED);
    }

    @Test
    void shouldWriteMessagesInPlace() {
        Claim claim = batch.claim(11);
        claim.putByte(0, (byte) 'a');
        claim.putInt(1, 0x62636465);
        claim.putLong(3, 0x4142434445464748L);
        assertThat(claim.commit()).isEqualTo(PublishResult.PUBLISHED);
        Claim shortened = batch.claim(50);
        shortened.put(0, bytes("short and more"), 0, 14);
        shortened.commit(5);
        batch.claim(20).abort();
        batch.claim(0).commit();
        batch.add(bytes("last"));
        assertThat(batch.count()).isEqualTo(4);
        assertThat(topic.publishedCount()).isZero();
        batch.publish();
        awaitTexts("abcABCDEFGH", "short", "", "last");
    }

    @Test
    void shouldProvideTheSpaceOfAClaimAsBuffersEvenIfItWraps() {
        List<String> expected = new ArrayList<>();
        boolean wrapped = false;
        for (int i = 0; i < 500; i++) {
            int length = 1 + i % 97;
            Claim claim = batch.claim(length);
            wrapped |= claim.vecCount() == 2;
            int seen = 0;
            for (int v = 0; v < claim.vecCount(); v++) {
                ByteBuffer vec = claim.vec(v);
                while (vec.hasRemaining()) {
                    vec.put((byte) ('a' + (i + seen++) % 26));
                }
            }
            assertThat(seen).isEqualTo(length);
            claim.commit();
            StringBuilder text = new StringBuilder();
            for (int j = 0; j < length; j++) {
                text.append((char) ('a' + (i + j) % 26));
            }
            expected.add(text.toString());
            if (i % 7 == 0) {
                batch.publish();
            }
        }
        batch.publish();
        await().until(() -> messages.count() == 500);
        assertThat(messages.texts()).isEqualTo(expected);
        assertThat(wrapped).isTrue();
    }

    @Test
    void shouldRefuseEverythingButAbortWhileAClaimIsOpen() {
        batch.add(bytes("first"));
        Claim claim = batch.claim(10);
        assertThatIllegalStateException().isThrownBy(() -> batch.add(new byte[1]));
        assertThatIllegalStateException().isThrownBy(() -> batch.tryClaim(1));
        assertThatIllegalStateException().isThrownBy(batch::publish).withMessageContaining("open claim");
        assertThatThrownBy(() -> claim.putByte(10, (byte) 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatIllegalArgumentException().isThrownBy(() -> claim.commit(11));
        claim.commit();
        assertThatIllegalStateException().isThrownBy(claim::commit);
        assertThatIllegalStateException().isThrownBy(claim::abort);
        Claim aborted = batch.claim(10);
        batch.abort();
        assertThatIllegalStateException().isThrownBy(aborted::commit);
        assertThat(topic.publishedCount()).isZero();
        batch.add(bytes("usable"));
        batch.publish();
        awaitTexts("usable");
    }

    @Test
    void shouldPublishMessagesWithAndWithoutHeaders() throws Exception {
        List<String> received = new CopyOnWriteArrayList<>();
        running.subscriber()
                .subscribe(
                        "t",
                        message ->
                                received.add(message.text() + message.headers().getLong("n", -1)))
                .ready()
                .get(60, TimeUnit.SECONDS);
        Headers headers = new Headers();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            headers.set("n", i);
            batch.add(headers, bytes("xay"), 1, 1, 60_000);
            batch.add(bytes("b"));
            Claim claim = batch.claim(5, headers);
            claim.put(0, bytes("cd"), 0, 2);
            claim.commit(2);
            while (!batch.tryAdd(headers, bytes("e"))) {
                assertThat(batch.refusal()).isEqualTo(PublishResult.NO_SPACE);
            }
            batch.add(headers.clear(), bytes("f"));
            expected.addAll(List.of("a" + i, "b-1", "cd" + i, "e" + i, "f-1"));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> batch.add(headers.set("n", 1), new byte[topic.longestMessage()]));
        batch.publish();
        await().until(() -> received.size() == expected.size());
        assertThat(received).isEqualTo(expected);
        assertThat(topic.publishedLength()).isEqualTo(300 * 6);
    }

    @Test
    void shouldCountMessagesWithoutSubscribersAsDropped() throws Exception {
        TopicPublisher unheard = running.publisher(running.publisherSettings().withWhenUnheard(WhenUnheard.DROP))
                .topic("unheard");
        unheard.announced().get(60, TimeUnit.SECONDS);
        PublishBatch dropped = unheard.batch();
        for (int i = 0; i < 3; i++) {
            assertThat(dropped.add(bytes("dropped"))).isFalse();
            assertThat(dropped.refusal()).isEqualTo(PublishResult.UNHEARD);
        }
        assertThat(dropped.publish()).isEqualTo(PublishResult.PUBLISHED);
        assertThat(unheard.unheardCount()).isEqualTo(3);
        Messages late = new Messages();
        running.subscriber().subscribe("unheard", late).ready().get(60, TimeUnit.SECONDS);
        await().until(() -> dropped.add(bytes("heard")));
        dropped.publish();
        await().until(() -> late.texts().equals(List.of("heard")));
    }

    @Test
    void shouldPublishNothingWhenTheTopicWasClosedMeanwhile() {
        topic.publish(bytes("published"));
        batch.add(bytes("added"));
        Claim claim = batch.claim(8);
        topic.close();
        claim.putLong(0, 1);
        claim.commit();
        assertThat(batch.publish()).isEqualTo(PublishResult.CLOSED);
        assertThat(batch.add(bytes("later"))).isFalse();
        assertThat(batch.refusal()).isEqualTo(PublishResult.CLOSED);
        assertThat(batch.publishedCount()).isZero();
        assertThat(topic.publishedCount()).isEqualTo(1);
        awaitTexts("published");
    }

    @Test
    void shouldKeepTheMemoryOfAnOpenBatchWhenTheBrokerIsLost() {
        batch.add(new byte[100]);
        running.broker().close();
        await().until(() -> publisher.closed().isDone());
        batch.add(new byte[100]);
        assertThat(batch.publish()).isEqualTo(PublishResult.NOT_CONNECTED);
        assertThat(batch.publishedCount()).isZero();
        assertThat(topic.publishedCount()).isZero();
        assertThat(batch.tryAdd(new byte[1])).isFalse();
        assertThat(batch.refusal()).isEqualTo(PublishResult.NOT_CONNECTED);
    }

    @Test
    void shouldKeepTheOrderOfEachThreadWhenSeveralPublish() throws Exception {
        int each = 5000;
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            String name = i + ":";
            boolean isBatching = i > 0;
            threads.add(new Thread(() -> {
                PublishBatch own = topic.batch();
                for (int n = 0; n < each; n++) {
                    if (!isBatching) {
                        topic.publish(bytes(name + n));
                    } else if (own.add(bytes(name + n)) && n % 10 == 9) {
                        own.publish();
                    }
                }
                own.publish();
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        await().until(() -> messages.count() == 3 * each);
        for (int i = 0; i < 3; i++) {
            String name = i + ":";
            List<String> own = messages.texts().stream()
                    .filter(text -> text.startsWith(name))
                    .toList();
            for (int n = 0; n < each; n++) {
                assertThat(own.get(n)).isEqualTo(name + n);
            }
        }
    }
}
