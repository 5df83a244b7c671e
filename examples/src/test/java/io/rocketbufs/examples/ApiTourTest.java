package io.rocketbufs.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.Segment;
import io.rocketbufs.SubscriptionCallback;
import io.rocketbufs.TransportInfo;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.DataOutStatus;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.Start;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rocketnet.TransportException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The code samples of docs/building-your-own.md. {@link QuotedSamplesTest} checks that the document quotes them
 * unchanged.
 */
@Timeout(600)
final class ApiTourTest {
    private static final int PRICES = 1;
    private static final int MESSAGE_LENGTH = 16;

    private final RocketBufs rocketBufs = RocketBufs.open();
    private final ROut out = new ROut(rocketBufs);
    private final Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
    private final AtomicReference<Connection> subscriber = new AtomicReference<>();

    ApiTourTest() {
        listener.setConnectionCallback(connection -> {
            subscriber.set(connection);
            out.addConnection(connection);
        });
    }

    @AfterEach
    void close() {
        rocketBufs.close();
    }

    @Test
    void shouldMoveAMessageFromAnROutToAnRIn() throws Exception {
        InetSocketAddress anyPort = new InetSocketAddress("127.0.0.1", 0);
        List<Long> received = new CopyOnWriteArrayList<>();

        // The sending side.
        RocketBufs sending = RocketBufs.open();
        ROut prices = new ROut(sending);
        prices.createBuffer(PRICES, 1 << 20);
        Listener listener = new Listener(sending, anyPort);
        listener.setConnectionCallback(connection -> prices.addConnection(connection));

        // The receiving side, in another process.
        RocketBufs receiving = RocketBufs.open();
        ConnectOptions options = ConnectOptions.as(Role.SUBSCRIBER, connection -> {
            RIn in = new RIn(connection);
            in.setDataInCallback((bufferId, data) -> {
                for (long i = 0; i < data.length(); i += MESSAGE_LENGTH) {
                    received.add(data.getLong(i));
                }
                in.dataConsumed(bufferId, data.length());
            });
            in.subscribe(PRICES, 1 << 20);
        });
        receiving.connect(listener.address(), options).get(10, TimeUnit.SECONDS);

        // The sending side again.
        await().until(() -> prices.subscriptionCount(PRICES) == 1);
        Segment segment = prices.getOutputSegment(PRICES, MESSAGE_LENGTH, true);
        segment.putLong(0, 42);
        segment.putLong(8, System.nanoTime());
        prices.deliver(segment, MESSAGE_LENGTH);

        await().untilAsserted(() -> assertThat(received).containsExactly(42L));
        receiving.close();
        sending.close();
    }

    @Test
    void shouldReturnBackPressureAsAValue() throws Exception {
        out.createBuffer(PRICES, 1000);
        RIn in = subscribed(PRICES, 1000);
        // The receiver consumes nothing, so first its buffer becomes full and then this one.
        for (int i = 0; i < 2 * 1000 / MESSAGE_LENGTH - 1; i++) {
            await().until(() -> publish(42));
        }
        assertThat(out.getOutputSegment(PRICES, 1000, false)).isSameAs(Segment.NO_SPACE);
        assertThatThrownBy(() -> out.getOutputSegment(PRICES, 1001, false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("capacity=1000");
        in.close();
        await().until(() -> publish(43));
    }

    private boolean publish(long price) {
        Segment segment = out.getOutputSegment(PRICES, MESSAGE_LENGTH, false);
        if (segment.vecCount() < 0) {
            return false; // NO_SPACE with flow control: the subscribers lag behind; try again later
        }
        segment.putLong(0, price);
        segment.putLong(8, System.nanoTime());
        out.deliver(segment, MESSAGE_LENGTH);
        return true;
    }

    @Test
    void shouldCallBackWhenThereIsSpaceAgain() throws Exception {
        Semaphore space = new Semaphore(0);
        out.setSpaceCallback(bufferId -> space.release()); // runs on the thread that freed the space: must be quick
        out.createBuffer(PRICES, 1000);
        RIn in = subscribed(PRICES, 1000);
        while (publish(42)) {
            assertThat(out.subscriptionCount(PRICES)).isEqualTo(1);
        }
        in.close();
        assertThat(space.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
        await().until(() -> publish(43));
    }

    @Test
    void shouldCompleteAFlushWhenEverythingIsConsumed() throws Exception {
        out.createBuffer(PRICES, 1000);
        RIn in = subscribed(PRICES, 1000);
        publish(42);
        CompletableFuture<Void> consumed = out.flush(PRICES); // sends a request and does not block
        await().until(() -> in.receivedPosition(PRICES) == MESSAGE_LENGTH);
        assertThat(consumed).isNotDone();
        in.dataConsumed(PRICES, MESSAGE_LENGTH);
        consumed.get(10, TimeUnit.SECONDS);
        assertThat(out.consumedPosition(PRICES)).isEqualTo(MESSAGE_LENGTH);
    }

    @Test
    void shouldExtendAReservationAndDeliverOnlyPartOfIt() throws Exception {
        out.createBuffer(PRICES, 1000);
        RIn in = subscribed(PRICES, 1000);
        byte[] first = text("12.5");
        byte[] more = text("0 EUR");
        // A message whose length is not known when writing begins.
        Segment segment = out.getOutputSegment(PRICES, 8, true);
        segment.put(0, first, 0, first.length);
        segment = out.extend(segment, 16);
        segment.put(first.length, more, 0, more.length);
        out.deliver(segment, first.length + more.length); // the rest of the 16 bytes is free again

        await().until(() -> in.receivedPosition(PRICES) == 9);
        assertThat(string(in.bufferRef(PRICES))).isEqualTo("12.50 EUR");
    }

    @Test
    void shouldReportTheStatusOfEachDelivery() throws Exception {
        List<String> reports = new CopyOnWriteArrayList<>();
        out.setDataOutCallback((context, status) -> reports.add(context + " " + status));
        out.createBuffer(PRICES, 1000);
        out.deliver(out.getOutputSegment(PRICES, MESSAGE_LENGTH, false), MESSAGE_LENGTH, "without a subscriber");
        subscribed(PRICES, 1000);
        out.deliver(out.getOutputSegment(PRICES, MESSAGE_LENGTH, false), MESSAGE_LENGTH, "with a subscriber");

        await().untilAsserted(() -> assertThat(reports)
                .containsExactly(
                        "without a subscriber " + DataOutStatus.NO_SUBSCRIBER,
                        "with a subscriber " + DataOutStatus.SENT));
    }

    @Test
    void shouldDiscardADeliveryThatHasNotBeenSent() throws Exception {
        out.createBuffer(PRICES, 1000, BufferOptions.DEFAULTS.withDiscardable(true));
        RIn in = subscribed(PRICES, 16);
        publish(1); // fills the subscriber's buffer
        publish(2);
        long third = out.deliver(out.getOutputSegment(PRICES, MESSAGE_LENGTH, false), MESSAGE_LENGTH);
        publish(4);
        assertThat(out.discard(PRICES, third)).isTrue();

        List<Long> received = new CopyOnWriteArrayList<>();
        while (received.size() < 3) {
            await().until(() -> in.bufferRef(PRICES).length() == MESSAGE_LENGTH);
            received.add(in.bufferRef(PRICES).getLong(0));
            in.dataConsumed(PRICES, MESSAGE_LENGTH);
        }
        assertThat(received).containsExactly(1L, 2L, 4L);
    }

    @Test
    void shouldSupportPollingByAnApplicationThread() throws Exception {
        out.createBuffer(PRICES, 1000);
        RIn in = subscribed(PRICES, 1000);
        publish(42);
        publish(43);

        long sum = 0;
        while (sum < 85) {
            Segment data = in.bufferRef(PRICES); // all data that has arrived but has not been consumed
            for (long i = 0; i < data.length(); i += MESSAGE_LENGTH) {
                sum += data.getLong(i);
            }
            in.dataConsumed(PRICES, data.length());
            Thread.onSpinWait();
        }

        assertThat(sum).isEqualTo(85);
    }

    @Test
    void shouldDetectDataThatAnOverwritingBufferMayHaveLost() throws Exception {
        out.createBuffer(PRICES, 1600, BufferOptions.DEFAULTS.withFlowControl(false));
        RIn in = subscribed(PRICES, 160);
        for (int i = 0; i < 1000; i++) {
            while (!publish(i)) {
                Thread.onSpinWait(); // WRITES_PENDING: the memory that it would overwrite is being sent
            }
        }
        await().until(() -> newest(in) == 999);
    }

    private static long newest(RIn in) {
        Segment data = in.bufferRef(PRICES);
        if (data.length() < MESSAGE_LENGTH) {
            return -1;
        }
        long last = data.length() - MESSAGE_LENGTH;
        long price = data.getLong(last);
        boolean intact = data.position() + last >= in.overwriteLimit(PRICES); // copy first, then check
        return intact ? price : -1;
    }

    @Test
    void shouldExchangeApplicationMessages() throws Exception {
        CompletableFuture<String> heard = new CompletableFuture<>();
        ConnectOptions options = ConnectOptions.as(Role.PEER, connection -> {
            connection.setControlMessageCallback(message -> heard.complete(string(message)));
            connection.sendControlMessage(ByteBuffer.wrap(text("ping")));
        });
        Listener echo = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        echo.setConnectionCallback(connection -> connection.setControlMessageCallback(message -> {
            String said = string(message); // the message is valid only during the call
            connection.sendControlMessage(ByteBuffer.wrap(text(said + " " + connection.role())));
        }));
        rocketBufs.connect(echo.address(), options);
        assertThat(heard.get(10, TimeUnit.SECONDS)).isEqualTo("ping peer");
    }

    @Test
    void shouldRefuseAConnectionWithAReason() {
        Listener guarded = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        guarded.setConnectionCallback(connection -> {
            if (!new String(connection.greeting(), StandardCharsets.UTF_8).equals("let me in")) {
                throw new IllegalArgumentException("the greeting is wrong");
            }
        });
        ConnectOptions options = ConnectOptions.as(Role.PEER, connection -> {}).withGreeting(text("good morning"));
        CompletableFuture<Connection> connected = rocketBufs.connect(guarded.address(), options);

        assertThatThrownBy(() -> connected.get(10, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        TransportException.class,
                        failure -> assertThat(failure.code()).isEqualTo(TransportException.Code.REFUSED))
                .hasMessageContaining("the greeting is wrong");
    }

    @Test
    void shouldReportTheStartAndEndOfSubscriptions() throws Exception {
        List<String> events = new CopyOnWriteArrayList<>();
        out.setSubscriptionCallback(new SubscriptionCallback() {
            @Override
            public void onSubscribed(int bufferId, Connection connection) {
                events.add("subscribed " + bufferId);
            }

            @Override
            public void onSubscriptionEnd(int bufferId, Connection connection, long undelivered, String reason) {
                events.add("end " + bufferId + " undelivered=" + undelivered + " reason=" + reason);
            }
        });
        out.createBuffer(PRICES, 1000);
        RIn in = subscribed(PRICES, 1000);
        in.unsubscribe(PRICES).get(10, TimeUnit.SECONDS);
        await().untilAsserted(
                        () -> assertThat(events).containsExactly("subscribed 1", "end 1 undelivered=0 reason=null"));
    }

    @Test
    void shouldHoldDataForAnExpectedSubscriber() throws Exception {
        RIn in = connected();
        out.createBuffer(PRICES, 1000);
        out.expect(PRICES, subscriber.get(), 2000); // nothing is freed until that connection has subscribed
        publish(42);
        in.subscribe(PRICES, 1000).get(10, TimeUnit.SECONDS);

        await().until(() -> in.receivedPosition(PRICES) == MESSAGE_LENGTH);
    }

    @Test
    void shouldContinueOverANewConnection() throws Exception {
        out.createBuffer(PRICES, 1000, BufferOptions.DEFAULTS.withResume(true));
        RIn in = connected();
        // Chosen once for this subscriber: it uses the same identity over every later connection.
        SubscribeOptions mine = SubscribeOptions.DEFAULTS.withIdentity(new SecureRandom().nextLong());
        in.subscribe(PRICES, 1000, mine).get(10, TimeUnit.SECONDS);
        publish(41);
        await().until(() -> in.receivedPosition(PRICES) == MESSAGE_LENGTH);

        // The position that this subscriber has reached in the sender's buffer. Its gap callback adds to lostLength.
        long lostLength = 0;
        long reached = in.startPosition(PRICES) + in.receivedPosition(PRICES) + lostLength;
        in.connection().close();
        publish(42);

        // Later, over a new connection.
        RIn next = connected();
        next.subscribe(PRICES, 1000, mine.withStart(Start.at(reached))).get(10, TimeUnit.SECONDS);

        await().until(() -> next.receivedPosition(PRICES) == MESSAGE_LENGTH);
        assertThat(next.bufferRef(PRICES).getLong(0)).isEqualTo(42);
    }

    @Test
    void shouldKeepDataForLateSubscribers() throws Exception {
        out.createBuffer(PRICES, 1000, BufferOptions.DEFAULTS.withKeep(10 * MESSAGE_LENGTH));
        for (long price = 1; price <= 1000; price++) {
            publish(price);
        }
        RIn late = connected();
        SubscribeOptions oldest = SubscribeOptions.DEFAULTS.withStart(Start.OLDEST);
        late.subscribe(PRICES, 1000, oldest).get(10, TimeUnit.SECONDS);

        await().until(() -> late.receivedPosition(PRICES) == 10 * MESSAGE_LENGTH);
        assertThat(late.bufferRef(PRICES).getLong(0)).isEqualTo(991);
    }

    @Test
    void shouldForwardDataFromTheMemoryWhereItArrived() throws Exception {
        out.createBuffer(PRICES, 1000, BufferOptions.DEFAULTS.withHold(true));
        ROut relayed = new ROut(rocketBufs);
        Listener relay = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        relay.setConnectionCallback(connection -> relayed.addConnection(connection));
        RIn in = connected();
        BufferOptions options = BufferOptions.DEFAULTS.withSlowPolicy(SlowPolicy.BLOCK);
        in.subscribe(PRICES, 1000).thenRun(() -> relayed.splice(in, PRICES, 7, options));

        RIn last = connected(relay);
        await().ignoreExceptions().untilAsserted(() -> last.subscribe(7, 1000).get(10, TimeUnit.SECONDS));
        publish(42);
        await().until(() -> last.receivedPosition(7) == MESSAGE_LENGTH);
        assertThat(last.bufferRef(7).getLong(0)).isEqualTo(42);
        assertThatThrownBy(() -> in.dataConsumed(PRICES, MESSAGE_LENGTH)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldSubscribeWithOptions() throws Exception {
        out.createBuffer(PRICES, 1000);
        RIn in = connected();
        SubscribeOptions options = SubscribeOptions.DEFAULTS
                .withSlowPolicy(SlowPolicy.SKIP) // losing data is better than delaying the sender
                .withTransferLimit(64 * 1024)
                .withFlowControl(true); // writes stay within the credit, even if the producer never waits
        in.setGapCallback(
                (bufferId, position, lostLength) -> assertThat(lostLength).isPositive());
        in.subscribe(PRICES, 1000, options).get(10, TimeUnit.SECONDS);
        assertThat(out.subscriptionCount(PRICES)).isEqualTo(1);
    }

    @Test
    void shouldReportTheEndOfABuffer() throws Exception {
        CompletableFuture<String> end = new CompletableFuture<>();
        out.createBuffer(PRICES, 1000);
        RIn in = connected();
        in.setBufferEndCallback((bufferId, failure) -> end.complete(bufferId + " " + failure));
        in.subscribe(PRICES, 1000).get(10, TimeUnit.SECONDS);
        publish(42);
        out.removeBuffer(PRICES);
        assertThat(end.get(10, TimeUnit.SECONDS)).isEqualTo("1 null");
        assertThat(in.bufferRef(PRICES).getLong(0)).isEqualTo(42); // data that has arrived stays readable
    }

    @Test
    void shouldShowCountersAndTransports() throws Exception {
        out.createBuffer(PRICES, 1000);
        subscribed(PRICES, 1000);
        publish(42);
        var metrics = rocketBufs.metrics();
        await().until(() -> metrics.subscriptions().get(0).sentLength() == MESSAGE_LENGTH);
        assertThat(metrics.outputs().get(0).deliveredCount()).isEqualTo(1);
        assertThat(metrics.connections()).hasSize(2); // both ends are in this process
        for (TransportInfo transport : rocketBufs.transports()) {
            assertThat(transport.name()).isNotEmpty();
        }
    }

    private RIn subscribed(int bufferId, long capacity) throws Exception {
        RIn in = connected();
        in.subscribe(bufferId, capacity).get(10, TimeUnit.SECONDS);
        return in;
    }

    private RIn connected() throws Exception {
        return connected(listener);
    }

    private RIn connected(Listener to) throws Exception {
        CompletableFuture<RIn> made = new CompletableFuture<>();
        ConnectOptions options = ConnectOptions.as(Role.SUBSCRIBER, connection -> made.complete(new RIn(connection)));
        rocketBufs.connect(to.address(), options).get(10, TimeUnit.SECONDS);
        return made.get();
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String string(ByteBuffer bytes) {
        return StandardCharsets.UTF_8.decode(bytes).toString();
    }

    private static String string(Segment segment) {
        byte[] bytes = new byte[(int) segment.length()];
        segment.get(0, bytes, 0, bytes.length);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
