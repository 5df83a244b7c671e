package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.RIn;
import io.rocketbufs.Role;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.GapLayout;
import io.rocketbufs.wire.HelloLayout;
import io.rocketbufs.wire.ImmediateLayout;
import io.rocketbufs.wire.SubscribeLayout;
import io.rocketbufs.wire.SubscribedLayout;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that a peer loses its connection if it violates the protocol, that its resources are freed, and that other
 * peers are not affected.
 */
class HostilePeerContract {
    private static final int PUBLISHER = 1;
    private static final int SUBSCRIBER = 2;
    private static final int TAG = 7;
    private static final int CAPACITY = 1000;

    private final Stage stage;
    private Node victim;
    private Transport transport;
    private Received innocent;
    private Sent sent;
    private long memoryBefore;
    private volatile CompletableFuture<Void> subscribed;

    HostilePeerContract(Stage stage) {
        this.stage = stage;
    }

    /**
     * One violation of the protocol.
     *
     * @param act the peer's action after its greeting
     * @param told part of the victim's message about the violation
     */
    record Breach(String name, Consumer<RawPeer> act, String told) {
        @Override
        public String toString() {
            return name;
        }
    }

    @BeforeEach
    void open() {
        stage.expectFailures();
        victim = stage.node().onConnection(connection -> {
            if (connection.role() == Role.PUBLISHER) {
                RIn in = new RIn(connection);
                connection.closed().thenRun(in::close);
                subscribed = in.subscribe(1, CAPACITY);
            }
        });
        victim.out().createBuffer(1, CAPACITY);
        innocent = stage.node().subscribe(victim, 1, CAPACITY);
        sent = new Sent(victim.out(), 1, 0).deliver(10, 20);
        transport = stage.transport(Stage.config());
        memoryBefore = victim.rocketBufs().memoryInUse();
    }

    @AfterEach
    void othersGoOn() {
        innocent.awaitAll(sent.deliver(10, 200));
        eventually(
                () -> victim.rocketBufs().memoryInUse() == memoryBefore,
                () -> "memory in use " + victim.rocketBufs().memoryInUse() + ", before " + memoryBefore);
    }

    @ParameterizedTest
    @MethodSource("greetings")
    void shouldCloseAConnectionWithAnInvalidGreeting(Breach breach) {
        RawPeer peer = RawPeer.connect(transport, victim.address());
        breach.act.accept(peer);
        peer.awaitOver();
        assertThat(victim.accepted()).hasSize(1);
        assertThat(victim.failures()).isEmpty();
    }

    static List<Breach> greetings() {
        return List.of(
                new Breach("no hello", peer -> peer.send(ControlType.PING, body -> {}), ""),
                new Breach("wrong magic", peer -> hello(peer, body -> body.putInt(0, 0x48545450)), ""),
                new Breach("unknown protocol version", peer -> hello(peer, body -> body.putShort(4, (short) 99)), ""),
                new Breach("unknown role", peer -> hello(peer, body -> body.put(6, (byte) 77)), ""),
                new Breach("heartbeat interval of 0", peer -> hello(peer, body -> body.putInt(8, 0)), ""),
                new Breach("negative heartbeat interval", peer -> hello(peer, body -> body.putInt(8, -1)), ""));
    }

    @Test
    void shouldTellAnOlderPeerWhyItIsRefused() {
        RawPeer peer = RawPeer.connect(transport, victim.address());
        hello(peer, body -> body.putShort(4, (short) 1));
        peer.awaitOver();
        assertThat(peer.goodbye()).contains("uses protocolVersion=1, but only version 3 is supported");
    }

    /** Sends a HELLO with a modified body. */
    private static void hello(RawPeer peer, Consumer<ByteBuffer> damage) {
        peer.send(ControlType.HELLO, body -> {
            HelloLayout.put(body, SUBSCRIBER, 1000, new byte[0]);
            damage.accept(body.slice(ControlLayout.HEADER_LENGTH, HelloLayout.FIXED_LENGTH));
        });
    }

    @ParameterizedTest
    @MethodSource("subscribersBreaches")
    void shouldCloseTheConnectionOfASubscriberThatViolatesTheProtocol(Breach breach) {
        RawPeer peer = RawPeer.connect(transport, victim.address()).hello(SUBSCRIBER);
        peer.await(ControlType.HELLO);
        peer.subscribe(1, TAG, CAPACITY).await(ControlType.SUBSCRIBED);
        sent.deliver(100, 3);
        eventually(() -> peer.arrivedLength() == 300);
        checkBreach(peer, breach);
    }

    static List<Breach> subscribersBreaches() {
        return List.of(
                new Breach("second hello", peer -> peer.hello(SUBSCRIBER), "sent a second HELLO"),
                new Breach("unknown type", peer -> control(peer, 0, (byte) 99), "unknown type=99"),
                new Breach("highest type", peer -> control(peer, 0, (byte) 255), "unknown type=255"),
                new Breach("unknown version", peer -> control(peer, 1, (byte) 9), "version=9"),
                new Breach("too long", peer -> control(peer, 2, (byte) 1), "states length=256"),
                new Breach("too short", peer -> peer.send(ByteBuffer.allocate(3)), "fewer than a header has"),
                new Breach("wrong length", peer -> peer.send(ControlType.CREDIT, b -> b.putInt(TAG)), "length=4"),
                new Breach("credit ahead of sent data", peer -> peer.send(ControlType.CREDIT, TAG, 301), "up to 301"),
                new Breach(
                        "unsolicited credit ahead of sent data",
                        peer -> peer.claim(TAG, 301),
                        "up to 301 of subscription of "),
                new Breach("negative credit", peer -> peer.send(ControlType.CREDIT, TAG, -1), "up to -1"),
                new Breach(
                        "credit moves backwards",
                        peer -> peer.send(ControlType.CREDIT, TAG, 200).send(ControlType.CREDIT, TAG, 100),
                        "up to 100"),
                new Breach("unknown tag", peer -> peer.send(ControlType.CREDIT, TAG + 1, 0), "no subscription has tag"),
                new Breach("not subscribed", peer -> peer.send(ControlType.UNSUBSCRIBE, 99, 0), "tag 99"),
                new Breach(
                        "tag in use",
                        peer -> peer.subscribe(1, TAG, CAPACITY),
                        "subscribed with tag " + TAG + ", which is already in use"),
                new Breach("negative tag", peer -> peer.subscribe(1, -1, CAPACITY), "invalid SubscribeRequest"),
                new Breach("capacity of 0", peer -> peer.subscribe(1, 8, 0), "invalid SubscribeRequest"),
                new Breach(
                        "negative capacity", peer -> peer.subscribe(1, 8, Long.MIN_VALUE), "invalid SubscribeRequest"),
                new Breach("unknown policy", peer -> subscribe(peer, 100, 9, 0), "policy=9"),
                new Breach("unknown flow-control demand", peer -> subscribe(peer, 100, 0, 3), "demand=3"),
                new Breach("transfer limit of 0", peer -> subscribe(peer, 0, 0, 0), "transferLimit=0"),
                new Breach("unknown start", peer -> subscribe(peer, -4, 0), "start=-4"),
                new Breach("negative kept length", peer -> subscribe(peer, -1, -1), "kept=-1"),
                new Breach(
                        "kept length that overflows",
                        peer -> subscribe(peer, -1, Long.MAX_VALUE - CAPACITY + 1),
                        "invalid SubscribeRequest"),
                new Breach("unsolicited answer", peer -> peer.subscribed(0, RemoteAccess.NONE), "has no input buffers"),
                new Breach("gap", peer -> gap(peer, 0, 0, 1), "has no input buffers"));
    }

    @ParameterizedTest
    @MethodSource("publishersBreaches")
    void shouldCloseTheConnectionOfAPublisherThatViolatesTheProtocol(Breach breach) {
        RawPeer peer = RawPeer.connect(transport, victim.address()).hello(PUBLISHER);
        RawPeer.Subscribed to = peer.accept();
        peer.deliver(to, 300);
        eventually(() -> peer.count(ControlType.CREDIT) > 0
                || victim.rocketBufs().metrics().connections().stream()
                        .flatMap(connection -> connection.inputs().stream())
                        .anyMatch(input -> input.receivedLength() == 300));
        checkBreach(peer, breach);
    }

    static List<Breach> publishersBreaches() {
        return List.of(
                new Breach(
                        "subscription accepted twice",
                        peer -> peer.subscribed(0, RemoteAccess.NONE),
                        "subscription twice"),
                new Breach(
                        "acceptance without a request",
                        peer -> peer.subscribed(5, RemoteAccess.NONE),
                        "no input buffer has tag 5"),
                new Breach("unknown kind", peer -> subscribed(peer, 0, 3), "tag=0 has kind=3"),
                new Breach("highest kind", peer -> subscribed(peer, 0, 255), "tag=0 has kind=255"),
                new Breach("negative start", peer -> subscribed(peer, 0, 0, -1, 0), "startPosition=-1"),
                new Breach("end before the start", peer -> subscribed(peer, 0, 0, 5, 4), "livePosition=4"),
                new Breach(
                        "high end",
                        peer -> subscribed(peer, 0, 0, 0, Long.MAX_VALUE),
                        "livePosition=" + Long.MAX_VALUE),
                new Breach(
                        "start that leaves no room for positions",
                        peer -> subscribed(peer, 0, 0, Long.MAX_VALUE, Long.MAX_VALUE),
                        "startPosition=" + Long.MAX_VALUE),
                new Breach("negative tag", peer -> peer.send(ControlType.END, -5, 0), "no input buffer has tag -5"),
                new Breach(
                        "huge tag",
                        peer -> peer.send(ControlType.END, Integer.MAX_VALUE, 0),
                        "no input buffer has tag"),
                new Breach("gap inside a received transfer", peer -> gap(peer, 0, 299, 1), "a gap at position 299"),
                new Breach("gap beyond the sent data", peer -> gap(peer, 0, 301, 1), "a gap at position 301"),
                new Breach("negative gap", peer -> gap(peer, 0, 300, -1), "lost=-1"),
                new Breach("waits for more than it sent", peer -> peer.send(ControlType.STARVING, 0, 301), "301"),
                new Breach("waits for a negative position", peer -> peer.send(ControlType.STARVING, 0, -1), "-1"),
                new Breach("asks for more than it sent", peer -> peer.send(ControlType.FLUSH, 0, 301), "301"),
                new Breach("asks for a negative position", peer -> peer.send(ControlType.FLUSH, 0, -1), "-1"),
                new Breach("unsolicited end", peer -> peer.send(ControlType.UNSUBSCRIBED, 0, 0), "without a request"),
                new Breach(
                        "data without a subscription",
                        peer -> write(peer, ImmediateLayout.data(9, false), 10),
                        "no input buffer has tag 9"),
                new Breach("unknown grant", peer -> write(peer, 1 << 30, 10), "a grant that does not exist: id=0"),
                new Breach(
                        "write without data", peer -> write(peer, ImmediateLayout.data(0, false), 0), "empty transfer"),
                new Breach("write beyond the credit", HostilePeerContract::overrun, "with credit for"));
    }

    /** Writes more than the capacity without waiting for credit, after 300 bytes have already arrived. */
    private static void overrun(RawPeer peer) {
        for (int i = 0; i < 8 && !peer.isOver(); i++) {
            write(peer, ImmediateLayout.data(0, true), 100);
        }
    }

    private void checkBreach(RawPeer peer, Breach breach) {
        breach.act.accept(peer);
        peer.awaitOver();
        eventually(() -> !victim.failures().isEmpty());
        assertThat(victim.awaitFailures()).singleElement().isInstanceOfSatisfying(TransportException.class, failure -> {
            assertThat(failure.code()).isEqualTo(TransportException.Code.PROTOCOL);
            assertThat(failure).hasMessageContaining(breach.told);
            assertThat(failure).hasMessageContaining(stage.host() + ":");
        });
    }

    @Test
    void shouldRejectOrIgnoreCreditAfterASubscriberHasUnsubscribed() {
        try (RawPeer peer = RawPeer.connect(transport, victim.address()).hello(SUBSCRIBER)) {
            peer.await(ControlType.HELLO);
            peer.subscribe(1, TAG, CAPACITY).await(ControlType.SUBSCRIBED);
            peer.send(ControlType.UNSUBSCRIBE, TAG, 0).await(ControlType.UNSUBSCRIBED);
            eventually(() -> victim.out().subscriptionCount(1) == 1);
            // The word may be lent to a new subscription, to which a late claim must give no credit.
            peer.claim(TAG, 300).subscribe(1, TAG, CAPACITY);
            eventually(() -> peer.isOver() || peer.count(ControlType.SUBSCRIBED) == 2);
            if (peer.isOver()) {
                eventually(() -> victim.failures().size() == 1);
            } else {
                assertThat(peer.word()).isNotEqualTo(RemoteAccess.NONE);
                checkThatNothingIsClaimed(peer);
            }
        }
    }

    /** Checks that the victim has accepted no claim of consumption: it sends at most as many bytes as the capacity. */
    private void checkThatNothingIsClaimed(RawPeer peer) {
        sent.deliver(100, 10);
        eventually(() -> peer.arrivedLength() == CAPACITY);
        eventually(() -> sent.offer(100));
        eventually(() -> peer.count(ControlType.STARVING) > 0);
        assertThat(peer.arrivedLength()).isEqualTo(CAPACITY);
        assertThat(victim.failures()).isEmpty();
    }

    @Test
    void shouldRefuseToSendTheSameBufferManyTimesOverOneConnection() {
        try (RawPeer peer = RawPeer.connect(transport, victim.address()).hello(SUBSCRIBER)) {
            peer.await(ControlType.HELLO);
            for (int tag = 0; tag < 1100; tag++) {
                peer.subscribe(1, tag, CAPACITY);
            }
            eventually(() -> peer.count(ControlType.SUBSCRIBE_REFUSED) == 1100 - 1024);
            assertThat(victim.out().subscriptionCount(1)).isEqualTo(1 + 1024);
        }
        eventually(() -> victim.out().subscriptionCount(1) == 1);
    }

    @Test
    void shouldCloseAConnectionThatSendsRequestsWithoutReadingTheAnswers() {
        Node asked = stage.node(
                Stage.hasty().withValue("rocketbufs.heartbeat-timeout", ConfigValueFactory.fromAnyRef("1 s")));
        try (RawPeer peer = RawPeer.connect(transport, asked.address()).hello(SUBSCRIBER)) {
            peer.await(ControlType.HELLO);
            peer.stopReading();
            int[] tag = {0};
            // The peer does not detect that the connection has ended: its only worker reads nothing, not even the
            // peer's own completions.
            eventually(() -> {
                while (asked.failures().isEmpty() && peer.trySubscribe(99, tag[0], CAPACITY)) {
                    tag[0]++;
                }
                return !asked.failures().isEmpty();
            });
        }
        assertThat(asked.awaitFailures()).singleElement().isInstanceOfSatisfying(TransportException.class, failure -> {
            // A peer that does not read its completions cannot send further requests. Its connection times out instead.
            assertThat(failure.code()).isIn(TransportException.Code.RESOURCES, TransportException.Code.TIMEOUT);
            assertThat(failure).hasMessageContaining(stage.host() + ":");
        });
    }

    @Test
    void shouldFailASubscriptionWithTheLossOfAPeerThatNeverAnswered() {
        try (RawPeer peer = RawPeer.connect(transport, victim.address()).hello(PUBLISHER)) {
            peer.await(ControlType.SUBSCRIBE);
        }
        assertThat(Stage.failureOf(subscribed))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        failure -> assertThat(failure.code()).isEqualTo(TransportException.Code.PEER_LOST));
    }

    /** Sends a PING with one byte of its header changed. */
    private static void control(RawPeer peer, int offset, byte value) {
        ByteBuffer message = ControlLayout.begin(ByteBuffer.allocate(ControlLayout.HEADER_LENGTH), ControlType.PING, 0);
        peer.send(ControlLayout.end(message).put(offset, value));
    }

    private static void subscribe(RawPeer peer, int transferLimit, int policy, int demand) {
        subscribe(peer, transferLimit, policy, demand, -1, 0);
    }

    private static void subscribe(RawPeer peer, long start, long kept) {
        subscribe(peer, 100, 0, 0, start, kept);
    }

    private static void subscribe(RawPeer peer, int transferLimit, int policy, int demand, long start, long kept) {
        peer.send(ControlType.SUBSCRIBE, body -> {
            SubscribeLayout.putIds(body, 1, TAG + 1);
            SubscribeLayout.putLimits(body, CAPACITY, transferLimit, policy, demand);
            SubscribeLayout.putAccess(body, 0, 0);
            SubscribeLayout.putStart(body, start, kept);
            SubscribeLayout.putIdentity(body, 0);
        });
    }

    private static void subscribed(RawPeer peer, int tag, int kind) {
        subscribed(peer, tag, kind, 0, 0);
    }

    private static void subscribed(RawPeer peer, int tag, int kind, long start, long live) {
        peer.send(ControlType.SUBSCRIBED, body -> {
            body.putInt(tag).putInt(kind << 24);
            SubscribedLayout.putWord(body, 0, 0);
            SubscribedLayout.putPositions(body, start, live);
        });
    }

    private static void gap(RawPeer peer, int tag, long position, long lost) {
        peer.send(ControlType.GAP, body -> GapLayout.put(body, tag, position, lost));
    }

    private static void write(RawPeer peer, int immediate, int length) {
        peer.write(peer.accepted().remote(), 0, immediate, length);
    }
}
