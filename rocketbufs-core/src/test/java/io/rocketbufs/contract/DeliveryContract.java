package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SubscribeOptions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that deliveries arrive whole, in order and unchanged, for all capacities, lengths and numbers of buffers. */
class DeliveryContract {
    private static final int LARGE = 1 << 20;

    private final Stage stage;
    private Node sending;
    private Node receiving;

    DeliveryContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        sending = stage.node();
        receiving = stage.node();
    }

    @Test
    void shouldDeliverEverythingInOrderThroughBuffersSmallerThanTheData() {
        sending.out().createBuffer(1, 1000);
        Received received = receiving.subscribe(sending, 1, 777);
        received.awaitAll(new Sent(sending.out(), 1, 0).deliverRandomly(200_000, 100, 1));
    }

    @Test
    void shouldWrapAtEveryOffsetOfBothBuffers() {
        int longest = 7;
        Inbox inbox = receiving.inbox(sending);
        List<Sent> sent = new ArrayList<>();
        List<Received> received = new ArrayList<>();
        for (int local = 1; local <= longest; local++) {
            for (int remote = 1; remote <= longest; remote++) {
                int id = sent.size();
                sending.out().createBuffer(id, local);
                sent.add(new Sent(sending.out(), id, id));
                received.add(inbox.of(id).seed(id).subscribe(remote));
                int most = Math.min(local, remote);
                for (int i = 0; i < 4 * longest; i++) {
                    sent.get(id).deliver(1 + i % most);
                }
            }
        }
        for (int i = 0; i < sent.size(); i++) {
            received.get(i).awaitAll(sent.get(i));
        }
    }

    @Test
    void shouldDeliverDataThatFitsExactly() {
        sending.out().createBuffer(1, 4099);
        Received received = receiving.subscribe(sending, 1, 4099);
        received.awaitAll(new Sent(sending.out(), 1, 0).deliver(4099, 20));
        assertThat(received.transfers()).hasSize(20);
    }

    @Test
    void shouldDeliverDataThatFitsTheSubscriberExactlyAndWrapsInTheSender() {
        sending.out().createBuffer(1, 5000);
        Received received = receiving.subscribe(sending, 1, 4099);
        received.awaitAll(new Sent(sending.out(), 1, 0).deliver(4099, 20));
    }

    @Test
    void shouldDeliverSingleBytes() {
        sending.out().createBuffer(1, 1);
        Received received = receiving.subscribe(sending, 1, 1);
        received.awaitAll(new Sent(sending.out(), 1, 0).deliver(1, 500));
        assertThat(received.transfers()).hasSize(500);
    }

    @Test
    void shouldDeliverManyWritesInOneTransfer() {
        sending.out().createBuffer(1, LARGE);
        Received received = receiving.subscribe(sending, 1, LARGE);
        received.awaitAll(new Sent(sending.out(), 1, 0).deliver(LARGE, 4));
        assertThat(received.transfers()).hasSize(4);
    }

    @Test
    void shouldDeliverManyWritesThatWrapInOneTransfer() {
        sending.out().createBuffer(1, LARGE + 333);
        Received received = receiving.subscribe(sending, 1, LARGE - 12_345);
        received.awaitAll(new Sent(sending.out(), 1, 0).deliver(600_001, 8));
        assertThat(received.transfers()).hasSize(8);
    }

    @Test
    void shouldDeliverLengthsAroundThatOfTheLongestWriteInOneTransfer() {
        int longest = Math.min(LARGE, stage.capabilities().longestWrite());
        sending.out().createBuffer(1, 7 * longest);
        Received received = receiving.subscribe(sending, 1, 6 * longest - 1);
        Sent sent = new Sent(sending.out(), 1, 0);
        for (int times : new int[] {1, 2, 5}) {
            sent.deliver(times * longest - 1)
                    .deliver(times * longest)
                    .deliver(times * longest + 1)
                    .deliver(1);
        }
        received.awaitAll(sent);
        assertThat(received.transfers()).contains(5L * longest + 1);
    }

    @Test
    void shouldEndOnlyTheSubscriptionWhoseCapacityADeliveryExceeds() {
        sending.out().createBuffer(1, 10_000);
        sending.out().createBuffer(2, 10_000);
        Inbox inbox = receiving.inbox(sending);
        Received small = inbox.of(1).subscribe(500);
        Received beside = inbox.of(2).subscribe(500);
        Received large = receiving.subscribe(sending, 1, 2000);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(500).deliver(501).deliver(10, 3000);
        large.awaitAll(sent);
        small.awaitEnd();
        assertThat(small.failure()).contains("501", "500");
        assertThat(small.length()).isEqualTo(500);
        beside.awaitAll(new Sent(sending.out(), 2, 0).deliver(10, 200));
        assertThat(inbox.connection().isOpen()).isTrue();
    }

    @Test
    void shouldSubscribeAgainAfterADeliveryWasTooLong() {
        sending.out().createBuffer(1, 10_000);
        Inbox inbox = receiving.inbox(sending);
        Received small = inbox.of(1).subscribe(500);
        Sent sent = new Sent(sending.out(), 1, 0).deliver(501);
        small.awaitEnd();
        inbox.in().unsubscribe(1).join();
        Received again = inbox.of(1).from(501).subscribe(600);
        again.awaitAll(sent.deliver(600, 20));
    }

    @Test
    void shouldSendOneTransferForEachDeliveryWithoutCoalescing() {
        sending.out().createBuffer(1, 10_000, BufferOptions.DEFAULTS.withCoalescing(false));
        Received received = receiving.subscribe(sending, 1, 1000);
        received.awaitAll(new Sent(sending.out(), 1, 0).deliver(7, 2000));
        assertThat(received.transfers()).hasSize(2000).containsOnly(7L);
    }

    @Test
    void shouldSendOneTransferForEachDeliveryWhenConfigured() {
        Node plain =
                stage.node(Stage.config().withValue("rocketbufs.coalescing", ConfigValueFactory.fromAnyRef(false)));
        plain.out().createBuffer(1, 10_000);
        Received received = receiving.subscribe(plain, 1, 1000);
        received.awaitAll(new Sent(plain.out(), 1, 0).deliver(7, 2000));
        assertThat(received.transfers()).hasSize(2000).containsOnly(7L);
    }

    @Test
    void shouldCoalesceWholeDeliveriesUpToAQuarterOfTheSubscribersCapacity() {
        assertThat(longestCoalesced(100_000, 4000, SubscribeOptions.DEFAULTS)).isBetween(500L, 1000L);
    }

    @Test
    void shouldCoalesceWholeDeliveriesUpToTheStatedLimit() {
        assertThat(longestCoalesced(100_000, 100_000, SubscribeOptions.DEFAULTS.withTransferLimit(900)))
                .isBetween(500L, 900L);
    }

    @Test
    void shouldCoalesceWholeDeliveriesUpTo256KiB() {
        assertThat(longestCoalesced(4 << 20, 4 << 20, SubscribeOptions.DEFAULTS.withTransferLimit(1 << 30)))
                .isBetween(128L << 10, 256L << 10);
    }

    /**
     * Accumulates deliveries of 13 bytes while the subscriber has no credit. Returns the length of the longest
     * transfer.
     */
    private long longestCoalesced(int local, int remote, SubscribeOptions options) {
        sending.out().createBuffer(1, local);
        Received received = receiving.inbox(sending).of(1).holding().subscribe(remote, options);
        Sent sent = new Sent(sending.out(), 1, 0);
        while (sent.length() < remote) {
            sent.deliver(13);
        }
        sent.fill(13);
        received.release();
        received.awaitAll(sent);
        return received.transfers().stream().mapToLong(Long::longValue).max().orElseThrow();
    }

    @Test
    void shouldServeThousandsOfBuffersOnOneConnection() {
        int count = 2000;
        Inbox inbox = receiving.inbox(sending);
        List<Sent> sent = new ArrayList<>();
        List<Received> received = new ArrayList<>();
        for (int id = 0; id < count; id++) {
            sending.out().createBuffer(-id, 64);
            sent.add(new Sent(sending.out(), -id, id));
            received.add(inbox.of(-id).seed(id));
        }
        received.forEach(each -> each.subscribe(50));
        for (int round = 0; round < 3; round++) {
            for (int id = 0; id < count; id += 1 + round) {
                sent.get(id).deliver(1 + (id + round) % 40);
            }
        }
        for (int id = 0; id < count; id++) {
            received.get(id).awaitAll(sent.get(id));
        }
    }

    @Test
    void shouldDistinguishBuffersOfTwoPublishersWithTheSameId() {
        Node other = stage.node();
        sending.out().createBuffer(1, 1000);
        other.out().createBuffer(1, 1000);
        Received one = receiving.inbox(sending).of(1).seed(1).subscribe(700);
        Received two = receiving.inbox(other).of(1).seed(2).subscribe(300);
        Sent sentByOne = new Sent(sending.out(), 1, 1);
        Sent sentByOther = new Sent(other.out(), 1, 2);
        for (int i = 0; i < 500; i++) {
            sentByOne.deliver(1 + i % 100);
            sentByOther.deliver(1 + i % 100);
        }
        one.awaitAll(sentByOne);
        two.awaitAll(sentByOther);
    }

    @Test
    void shouldServeSubscribersOfDifferentCapacity() {
        sending.out().createBuffer(1, 3000);
        List<Received> all = new ArrayList<>();
        for (int capacity : new int[] {100, 101, 2999, 3000, 100_000}) {
            all.add(receiving.subscribe(sending, 1, capacity));
        }
        assertThat(sending.out().subscriptionCount(1)).isEqualTo(5);
        Sent sent = new Sent(sending.out(), 1, 0).deliverRandomly(100_000, 100, 5);
        all.forEach(received -> received.awaitAll(sent));
    }

    @Test
    void shouldAllowAnApplicationThreadToPollAndConsume() {
        sending.out().createBuffer(1, 1000);
        Inbox inbox = receiving.inbox(sending);
        inbox.in().setDataInCallback(null);
        inbox.of(1).subscribe(600);
        Sent sent = new Sent(sending.out(), 1, 0);
        Pattern pattern = new Pattern(0);
        for (long position = 0; position < 20_000; ) {
            sent.fill(37);
            var data = inbox.in().bufferRef(1);
            assertThat(data.position()).isEqualTo(position);
            assertThat(pattern.firstWrong(data, position)).isEqualTo(-1);
            assertThat(sent.endsAt(position + data.length())).isTrue();
            position += data.length() / 2;
            inbox.in().dataConsumed(1, data.length() / 2);
            eventually(() -> {
                // The space may become free only after the last bytes have been consumed.
                sent.fill(37);
                return inbox.in().bufferRef(1).length() > 1;
            });
        }
    }
}
