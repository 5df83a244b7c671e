package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.client.Claim;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class ClaimTest {
    private final RunningBroker running = new RunningBroker("rbmq.publisher.capacity = 100");
    private final Messages messages = new Messages();
    private Publisher publisher;
    private TopicPublisher topic;

    @BeforeEach
    void connect() throws Exception {
        running.subscriber().subscribe("t", messages).ready().get(60, TimeUnit.SECONDS);
        publisher = running.publisher();
        topic = publisher.topic("t");
    }

    @AfterEach
    void close() throws Exception {
        running.close();
    }

    @Test
    void shouldPublishAMessageWrittenInPlace() {
        Claim claim = topic.claim(11);
        assertThat(claim.isGranted()).isTrue();
        assertThat(claim.refusal()).isNull();
        claim.putByte(0, (byte) 'a');
        claim.putInt(1, 0x62636465);
        claim.putLong(3, 0x4142434445464748L);
        assertThat(claim.commit()).isEqualTo(PublishResult.PUBLISHED);
        await().until(() -> messages.count() == 1);
        assertThat(messages.texts()).containsExactly("abcABCDEFGH");
    }

    @Test
    void shouldPublishFewerBytesThanClaimed() {
        Claim claim = topic.claim(50);
        claim.put(0, "xhellox".getBytes(UTF_8), 1, 5);
        assertThat(claim.commit(5)).isEqualTo(PublishResult.PUBLISHED);
        topic.claim(50).commit(0);
        topic.publish("next".getBytes(UTF_8));
        await().until(() -> messages.count() == 3);
        assertThat(messages.texts()).containsExactly("hello", "", "next");
    }

    @Test
    void shouldPublishNothingWhenAborted() {
        for (int i = 0; i < 100; i++) {
            topic.claim(90).abort();
        }
        topic.publish("next".getBytes(UTF_8));
        await().until(() -> messages.count() == 1);
        assertThat(messages.texts()).containsExactly("next");
        assertThat(topic.publishedCount()).isEqualTo(1);
    }

    @Test
    void shouldProvideTheSpaceAsBuffersEvenIfItWraps() {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            int length = 1 + i % 40;
            Claim claim = topic.claim(length);
            int seen = 0;
            for (int v = 0; v < claim.vecCount(); v++) {
                ByteBuffer vec = claim.vec(v);
                while (vec.hasRemaining()) {
                    vec.put((byte) ('a' + (i + seen++) % 26));
                }
            }
            assertThat(seen).isEqualTo(length);
            claim.commit();
            all.append((char) ('a' + i % 26));
        }
        await().until(() -> messages.count() == 200);
        StringBuilder firsts = new StringBuilder();
        messages.texts().forEach(text -> firsts.append(text.charAt(0)));
        assertThat(firsts.toString()).isEqualTo(all.toString());
        assertThat(messages.texts().get(199)).isEqualTo("rstuvwxyzabcdefghijklmnopqrstuvwxyzabcde".substring(0, 40));
    }

    @Test
    void shouldRejectAccessOutsideTheMessage() {
        Claim claim = topic.claim(10);
        assertThatThrownBy(() -> claim.putByte(10, (byte) 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> claim.putInt(7, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> claim.putLong(-1, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> claim.put(5, new byte[6], 0, 6)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> claim.commit(11)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> claim.vec(1)).isInstanceOf(IndexOutOfBoundsException.class);
        claim.commit();
        assertThatThrownBy(claim::commit).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(claim::abort).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldSendClaimsInTheOrderOfTheirCommits() {
        Claim first = topic.claim(5);
        Claim second = topic.claim(6);
        first.put(0, "first".getBytes(UTF_8), 0, 5);
        second.put(0, "second".getBytes(UTF_8), 0, 6);
        second.commit();
        first.commit();
        await().until(() -> messages.count() == 2);
        assertThat(messages.texts()).containsExactly("second", "first");
    }

    @Test
    void shouldRefuseToWaitWhileTheCallerHasAnOpenClaim() {
        Claim claim = topic.claim(90);
        assertThat(topic.tryClaim(10).refusal()).isEqualTo(PublishResult.NO_SPACE);
        assertThatThrownBy(() -> topic.publish(new byte[10]))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("open claim");
        claim.commit();
        assertThat(topic.publish(new byte[10])).isEqualTo(PublishResult.PUBLISHED);
    }

    @Test
    void shouldWakeAWaitingThreadWhenAnotherThreadCommits() throws Exception {
        Claim claim = topic.claim(90);
        Thread waiting = new Thread(() -> topic.publish(new byte[10]));
        waiting.start();
        await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
        claim.commit();
        waiting.join();
        await().until(() -> messages.count() == 2);
    }

    @Test
    void shouldKeepTheMemoryOfAnOpenClaimWhenTheBrokerIsLost() throws Exception {
        Claim claim = topic.claim(10);
        running.broker().close();
        await().until(() -> publisher.closed().isDone());
        claim.putLong(0, 1);
        assertThat(claim.commit()).isEqualTo(PublishResult.NOT_CONNECTED);
        assertThat(topic.publishedCount()).isZero();
    }

    @Test
    void shouldNotConfirmAMessageCommittedAfterTheConnectionHasEnded() throws Exception {
        topic.announced().get(60, TimeUnit.SECONDS);
        Claim claim = topic.claim(10);
        CompletableFuture<PublishResult> committed = new CompletableFuture<>();
        // This callback runs before the topic is notified of the end of the connection.
        publisher.closed().whenComplete((nothing, failure) -> committed.complete(claim.commit()));
        running.broker().close();
        assertThat(committed.get(60, TimeUnit.SECONDS)).isEqualTo(PublishResult.PUBLISHED);
        assertThat(publisher.unconfirmedCount()).isEqualTo(1);
        assertThat(publisher.unconfirmedLength()).isEqualTo(14);
        assertThat(publisher.flush(10_000)).isFalse();
    }
}
