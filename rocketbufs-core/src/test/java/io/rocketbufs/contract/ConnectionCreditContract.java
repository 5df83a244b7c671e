package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.link.ConnectionCredit;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.SubscribeOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Tests that, apart from a minimum for each buffer, the buffers of one connection combined use no more memory than the
 * connection's credit. Also tests that a stopped reader does not stop other readers.
 */
class ConnectionCreditContract {
    private static final int MINIMUM = (int) ConnectionCredit.MINIMUM;
    private static final int LIMIT = 4 * MINIMUM;
    private static final int CAPACITY = 4 * MINIMUM;
    private static final int LENGTH = 2000;

    private final Stage stage;

    ConnectionCreditContract(Stage stage) {
        this.stage = stage;
    }

    private static Config config() {
        return Stage.hasty().withValue("rocketbufs.connection-credit", ConfigValueFactory.fromAnyRef(LIMIT));
    }

    /** Creates buffers with {@code capacity} bytes each. The seed of a buffer's pattern is the buffer's id. */
    private static List<Sent> create(Node node, int first, int count, int capacity) {
        List<Sent> sent = new ArrayList<>();
        for (int id = first; id < first + count; id++) {
            node.out().createBuffer(id, capacity);
            sent.add(new Sent(node.out(), id, id));
        }
        return sent;
    }

    private static List<Received> subscribe(Inbox inbox, int first, int count, int capacity, boolean holding) {
        List<Received> received = new ArrayList<>();
        List<CompletableFuture<Void>> requests = new ArrayList<>();
        for (int id = first; id < first + count; id++) {
            Received one = inbox.of(id).seed(id);
            received.add(holding ? one.holding() : one);
            requests.add(one.trySubscribe(capacity, SubscribeOptions.DEFAULTS));
        }
        requests.forEach(Stage::get);
        return received;
    }

    /** Delivers to each buffer in turn until all of them refuse. Returns the number of bytes delivered. */
    private static long fillAll(List<Sent> all) {
        long before = total(all);
        for (long last = -1; last != total(all); ) {
            last = total(all);
            all.forEach(each -> each.offer(LENGTH));
        }
        return total(all) - before;
    }

    private static long total(List<Sent> all) {
        return all.stream().mapToLong(Sent::length).sum();
    }

    @Test
    void shouldBoundWhatAPublisherHasUnderWay() {
        int count = 40;
        Node sending = stage.node(config());
        List<Sent> sent = create(sending, 1, count, CAPACITY);
        List<Received> received = subscribe(stage.node().inbox(sending), 1, count, CAPACITY, true);
        fillAll(sent);
        assertThat(total(sent)).isBetween((long) LIMIT, LIMIT + (long) count * (MINIMUM + LENGTH));
        received.forEach(Received::release);
        for (int i = 0; i < count; i++) {
            sent.get(i).deliver(LENGTH, 50);
            received.get(i).awaitAll(sent.get(i));
        }
    }

    @Test
    void shouldBoundWhatABrokerHoldsForASubscriberThatHasStopped() {
        int count = 40;
        SpliceFixture relay = new SpliceFixture(stage, config());
        List<Sent> sent = new ArrayList<>();
        List<Received> received = new ArrayList<>();
        Inbox slow = relay.subscriber();
        for (int id = 1; id <= count; id++) {
            sent.add(relay.publish(id, CAPACITY, BufferOptions.DEFAULTS));
            relay.splice(id, CAPACITY, BufferOptions.DEFAULTS);
            received.add(slow.of(id).seed(id).holding().subscribe(CAPACITY / 4));
        }
        // From each buffer, the subscriber receives a quarter of the capacity.
        eventually(() -> fillAll(sent) == 0 && received.stream().allMatch(each -> each.unconsumed() > 0));
        long most = LIMIT + (long) count * (MINIMUM + LENGTH + CAPACITY / 4);
        assertThat(total(sent)).isLessThanOrEqualTo(most).isLessThan((long) count * 2 * CAPACITY);
        received.forEach(Received::release);
        for (int i = 0; i < count; i++) {
            sent.get(i).deliver(LENGTH, 50);
            received.get(i).awaitAll(sent.get(i));
        }
    }

    @Test
    void shouldNotStopOthersForAThousandBuffersWhoseReadersHaveStopped() {
        int stopped = 1000;
        int others = 10;
        int capacity = 2 * MINIMUM;
        Node sending = stage.node(config());
        List<Sent> sent = create(sending, 1, stopped + others, capacity);
        Inbox inbox = stage.node().inbox(sending);
        List<Received> slow = subscribe(inbox, 1, stopped, capacity, true);
        List<Received> fast = subscribe(inbox, 1 + stopped, others, capacity, false);
        fillAll(sent.subList(0, stopped));
        for (int i = 0; i < others; i++) {
            Sent one = sent.get(stopped + i);
            one.deliver(LENGTH, 100);
            fast.get(i).awaitAll(one);
        }
        slow.forEach(Received::release);
        slow.get(0).awaitAll(sent.get(0).deliver(LENGTH, 50));
    }

    @Test
    void shouldWaitForCreditAndContinueWhenItReturns() {
        Node sending = stage.node(config());
        List<Sent> sent = create(sending, 1, 2, 2 * LIMIT);
        Inbox inbox = stage.node().inbox(sending);
        Received slow = subscribe(inbox, 1, 1, 2 * LIMIT, true).get(0);
        Received fast = subscribe(inbox, 2, 1, 2 * LIMIT, false).get(0);
        sent.get(0).deliver(LIMIT).deliver(1);
        fast.awaitAll(sent.get(1).deliver(MINIMUM, 20));
        assertThat(sent.get(0).offer(1)).isFalse();
        CompletableFuture<Sent> delivered =
                CompletableFuture.supplyAsync(() -> sent.get(0).deliver(MINIMUM, 20));
        slow.awaitPosition(LIMIT + 1);
        assertThat(delivered).isNotDone();
        slow.release();
        slow.awaitAll(Stage.get(delivered));
    }

    @Test
    void shouldAcceptDeliveriesThatAreLongerThanTheMinimum() {
        Node sending = stage.node(config());
        List<Sent> sent = create(sending, 1, 2, 2 * LIMIT);
        Inbox inbox = stage.node().inbox(sending);
        subscribe(inbox, 1, 1, 2 * LIMIT, true);
        Received fast = subscribe(inbox, 2, 1, 2 * LIMIT, false).get(0);
        sent.get(0).deliver(LIMIT + 1);
        fast.awaitAll(sent.get(1).deliver(2 * LIMIT, 5));
    }

    @Test
    void shouldReturnTheCreditWhenTheConnectionIsLost() {
        stage.expectFailures();
        Node sending = stage.node(config());
        List<Sent> sent = create(sending, 1, 3, CAPACITY);
        Node lost = stage.node();
        subscribe(lost.inbox(sending), 1, 3, CAPACITY, true);
        fillAll(sent);
        lost.kill();
        sending.awaitFailures();
        eventually(() -> sending.out().subscriptionCount(1) == 0);
        List<Received> next = new ArrayList<>();
        Inbox again = stage.node().inbox(sending);
        for (int id = 1; id <= 3; id++) {
            Received one = again.of(id).seed(id).from(sent.get(id - 1).length());
            Stage.get(one.trySubscribe(CAPACITY, SubscribeOptions.DEFAULTS));
            next.add(one);
        }
        for (int i = 0; i < 3; i++) {
            next.get(i).awaitAll(sent.get(i).deliver(LENGTH, 100));
        }
    }

    @Test
    void shouldContinueWithABufferThatOutlivesItsConnection() {
        stage.expectFailures();
        Node sending = stage.node(config());
        List<Sent> sent = new ArrayList<>();
        for (int id = 1; id <= 3; id++) {
            sending.out().createBuffer(id, CAPACITY, BufferOptions.DEFAULTS.withResume(true));
            sent.add(new Sent(sending.out(), id, id));
        }
        Node lost = stage.node();
        subscribe(lost.inbox(sending), 1, 3, CAPACITY, true);
        fillAll(sent);
        lost.kill();
        sending.awaitFailures();
        eventually(() -> sending.out().subscriptionCount(1) == 0);
        List<Received> next = subscribe(stage.node().inbox(sending), 1, 3, CAPACITY, false);
        for (int i = 0; i < 3; i++) {
            next.get(i).awaitAll(sent.get(i).deliver(LENGTH, 100));
        }
    }

    /** The data fits into the buffers of publisher and broker, so nothing would be skipped without the credit. */
    @Test
    void shouldLetABrokersSubscriberSkipWhenTheCreditIsUsedUp() {
        SpliceFixture relay = new SpliceFixture(stage, config());
        Inbox slow = relay.subscriber();
        List<Sent> sent = new ArrayList<>();
        BufferOptions skipping = BufferOptions.DEFAULTS.withSlowPolicy(SlowPolicy.SKIP);
        int count = 200;
        int length = 8000;
        int capacity = 16 * LIMIT;
        for (int id = 1; id <= 2; id++) {
            sent.add(relay.publish(id, capacity, BufferOptions.DEFAULTS));
            relay.splice(id, capacity, skipping);
        }
        relay.of(1).holding().subscribe(LIMIT);
        Received skips = slow.of(2).seed(2).holding().subscribe(LIMIT);
        for (int i = 0; i < count; i++) {
            sent.get(1).deliver(length);
            sent.get(0).deliver(length);
        }
        assertThat(count * length).isLessThan(capacity);
        skips.release();
        eventually(() -> skips.lost() > 0);
    }
}
