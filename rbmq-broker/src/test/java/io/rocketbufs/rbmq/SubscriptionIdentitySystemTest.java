package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.Role;
import io.rocketbufs.options.Start;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests of a client that knows the id of a buffer and the identity and position of another user's subscription to it.
 */
@Tag("once")
@Timeout(600)
final class SubscriptionIdentitySystemTest {
    private static final SubscribeOptions DESKS = SubscribeOptions.DEFAULTS.withIdentity(42);
    /** Length in a buffer of a message with one letter, in bytes. */
    private static final int FRAME = 5;

    private final RunningBroker running = new RunningBroker(
            "rbmq.users = [",
            "{ name = feed, token = feed-token, publish = [t] }",
            "{ name = desk, token = desk-token, subscribe = [t] }",
            "{ name = thief, token = thief-token, subscribe = [t] }",
            "{ name = other, token = other-token, subscribe = [u] }",
            "]",
            "rbmq.broker.keep = 1 KiB");

    private RawClient feed;
    private int bufferId;

    @BeforeEach
    void announce() throws Exception {
        feed = raw(Role.PUBLISHER, "feed");
        feed.createBuffer(1, 4096);
        feed.announce(1, 4096, "t");
        assertThat(feed.nextNotice()).startsWith("ANNOUNCED");
        bufferId = running.broker().topics().get(0).publishers().get(0).bufferId();
    }

    @AfterEach
    void close() {
        running.close();
    }

    private RawClient raw(Role role, String user) throws Exception {
        return new RawClient(running.clients(), running.address(), role, GreetingLayout.write("raw", user + "-token"));
    }

    private RawReader reader(String user) throws Exception {
        return new RawReader(running.clients(), running.address(), user + "-token");
    }

    private void publish(char letter) {
        feed.deliver(1, new byte[] {0, 0, 0, 1, (byte) letter});
    }

    private static void awaitOk(CompletableFuture<Void> subscribed) throws Exception {
        subscribed.get(60, TimeUnit.SECONDS);
    }

    private static String refusalOf(CompletableFuture<Void> subscribed) {
        return catchThrowableOfType(ExecutionException.class, () -> awaitOk(subscribed))
                .getCause()
                .getMessage();
    }

    @Test
    void shouldNotLetAnotherUserSupersedeASubscription() throws Exception {
        RawReader desk = reader("desk");
        awaitOk(desk.subscribe(bufferId, DESKS));
        publish('a');
        await().until(() -> desk.events().contains("a"));
        RawReader live = reader("thief");
        RawReader continued = reader("thief");
        awaitOk(live.subscribe(bufferId, DESKS));
        awaitOk(continued.subscribe(bufferId, DESKS.withStart(Start.at(FRAME))));
        publish('b');
        await().until(() -> desk.events().contains("b")
                && live.events().contains("b")
                && continued.events().contains("b"));
        assertThat(desk.events()).containsExactly("a", "b");
        assertThat(live.events()).containsExactly("b");
        assertThat(continued.events()).containsExactly("b");
    }

    @Test
    void shouldKeepWhatALostSubscriberMissedFromUsersWithoutTheRight() throws Exception {
        RawReader desk = reader("desk");
        awaitOk(desk.subscribe(bufferId, DESKS));
        publish('a');
        await().until(() -> desk.events().contains("a"));
        desk.close();
        await().until(() -> running.broker().state().subscriberCount() == 0);
        publish('b');
        // Waits before the other user tries to subscribe.
        await().until(() -> running.broker().state().receivedLength() == 2 * FRAME);
        RawReader other = reader("other");
        String unknown = refusalOf(other.subscribe(1_000_000, DESKS));
        long refusals = 0;
        for (Start start : new Start[] {Start.LIVE, Start.OLDEST, Start.at(0), Start.at(FRAME), Start.at(1 << 20)}) {
            assertThat(refusalOf(other.subscribe(bufferId, DESKS.withStart(start))))
                    .isEqualTo(unknown.replace("1000000", "" + bufferId));
            refusals++;
        }
        assertThat(running.broker().state().refusals()).containsEntry("subscribe", refusals);
        RawReader thief = reader("thief");
        awaitOk(thief.subscribe(bufferId, DESKS));
        RawReader returned = reader("desk");
        awaitOk(returned.subscribe(bufferId, DESKS.withStart(Start.at(FRAME))));
        publish('c');
        await().until(() -> thief.events().contains("c") && returned.events().contains("c"));
        assertThat(thief.events()).containsExactly("c");
        assertThat(returned.events()).containsExactly("b", "c");
        assertThat(other.events()).isEmpty();
    }

    @Test
    void shouldNotTellAUserWithoutTheRightHowManyPublishersHaveLeft() throws Exception {
        feed.connection().close();
        await().until(() -> running.broker().topics().isEmpty());
        RawClient other = raw(Role.SUBSCRIBER, "other");
        for (String filter : new String[] {"t", "+", "#", "t/#"}) {
            other.send(TopicLayout.write(1, null, filter));
            assertThat(other.nextNotice()).startsWith("TOPIC_REFUSED user \"other\" may subscribe to u,");
        }
        other.send(TopicLayout.write(1, null, "u"));
        assertThat(other.nextNotice()).doesNotContain("REFUSED");
    }
}
