package io.rocketbufs.in;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.stub.StubConnection;
import io.rocketbufs.rocketnet.stub.StubPeer;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.session.Session;
import io.rocketbufs.session.StubOwner;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.PositionLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the receiving side of credit reports that are written to a word of the sender's memory. */
class CreditReportsTest implements StubOwner, StubSink {
    private static final int CAPACITY = 100;
    private static final RemoteAccess WORD = new RemoteAccess(77, 5);

    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final StubWorker worker = new StubWorker();
    private StubConnection connection;
    private Session endpoint;
    private StubPeer peer;
    private Inputs inputs;
    private Runnable onEnded = () -> {};

    private InputBuffer subscribe(Capabilities capabilities, RemoteAccess word) {
        connection = new StubConnection(worker, capabilities, 7);
        endpoint = new Session(connection, this, SETTINGS, pool);
        peer = new StubPeer(connection);
        peer.lends(word);
        connection.handledBy(endpoint);
        inputs = endpoint.receiveInto(this);
        endpoint.greet(2, new byte[0]);
        worker.run();
        InputBuffer buffer = inputs.subscribe(5, CAPACITY, SubscribeOptions.DEFAULTS.withTransferLimit(CAPACITY));
        worker.run();
        assertThat(buffer.subscribed()).isCompleted();
        worker.run(() -> peer.send(100));
        return buffer;
    }

    private void ask(ControlType type, long position) {
        peer.tell(type, body -> PositionLayout.put(body, 0, position));
    }

    @AfterEach
    void closePool() {
        pool.close();
    }

    @Override
    public void ended(InputBuffer buffer, String failure) {
        onEnded.run();
    }

    @Test
    void shouldWriteTheWordAtEveryQuarterAndSendNothing() {
        InputBuffer buffer = subscribe(StubTransport.words(), WORD);
        for (int i = 0; i < 4; i++) {
            buffer.consume(24);
            assertThat(peer.wordPosition()).isEqualTo(25 * i);
            buffer.consume(1);
            assertThat(peer.wordPosition()).isEqualTo(25 * (i + 1));
        }
        assertThat(connection.wordWritten()).isEqualTo(WORD);
        assertThat(peer.creditCount()).isZero();
        assertThat(buffer.state().creditCount()).isEqualTo(4);
    }

    @Test
    void shouldAnswerWithAMessageThatWakesTheSender() {
        InputBuffer buffer = subscribe(StubTransport.words(), WORD);
        ask(ControlType.STARVING, 30);
        buffer.consume(26);
        assertThat(peer.wordPosition()).isEqualTo(26);
        assertThat(peer.creditCount()).isZero();
        buffer.consume(4);
        assertThat(peer.consumedPosition()).isEqualTo(30);
        assertThat(peer.creditCount()).isEqualTo(1);
        buffer.consume(25);
        assertThat(peer.wordPosition()).isEqualTo(55);
        assertThat(peer.creditCount()).isEqualTo(1);
    }

    @Test
    void shouldNotAnswerARequestThatCrossedAMessageWhichCoversIt() {
        InputBuffer buffer = subscribe(StubTransport.words(), RemoteAccess.NONE);
        buffer.consume(30);
        ask(ControlType.STARVING, 25);
        ask(ControlType.FLUSH, 30);
        assertThat(peer.creditCount()).isEqualTo(1);
        ask(ControlType.STARVING, 31);
        buffer.consume(1);
        assertThat(peer.consumedPosition()).isEqualTo(31);
        assertThat(peer.creditCount()).isEqualTo(2);
    }

    @Test
    void shouldAnswerWithAMessageEvenIfTheWordIsUpToDate() {
        InputBuffer buffer = subscribe(StubTransport.words(), WORD);
        buffer.consume(50);
        ask(ControlType.STARVING, 25);
        assertThat(peer.consumedPosition()).isEqualTo(50);
    }

    @Test
    void shouldAnswerWithAMessageThatWasDelayed() {
        InputBuffer buffer = subscribe(StubTransport.words(), WORD);
        List<ControlType> sent = new ArrayList<>();
        connection.onSend(message -> PostResult.NO_WINDOW);
        ask(ControlType.STARVING, 10);
        buffer.consume(30);
        connection.onSend(message -> {
            sent.add(ControlType.CREDIT);
            return PostResult.SENT;
        });
        endpoint.writable();
        worker.run();
        assertThat(sent).containsExactly(ControlType.CREDIT);
        assertThat(peer.wordPosition()).isZero();
    }

    @Test
    void shouldWriteTheNewestPositionWhenTheWordWasDelayed() {
        InputBuffer buffer = subscribe(StubTransport.words(), WORD);
        List<Long> written = new ArrayList<>();
        connection.onWriteWord(position -> PostResult.NO_WINDOW);
        buffer.consume(25);
        buffer.consume(40);
        connection.onWriteWord(position -> {
            written.add(position);
            return PostResult.SENT;
        });
        endpoint.writable();
        worker.run();
        assertThat(written).containsExactly(65L);
    }

    @Test
    void shouldNotCountAWordAsAHeartbeat() {
        InputBuffer buffer = subscribe(StubTransport.words(), WORD);
        long before = endpoint.state().sentCount();
        buffer.consume(25);
        assertThat(peer.wordPosition()).isEqualTo(25);
        assertThat(endpoint.state().sentCount()).isEqualTo(before);
    }

    @Test
    void shouldSendMessagesWhenNoWordIsLent() {
        InputBuffer buffer = subscribe(StubTransport.words(), RemoteAccess.NONE);
        buffer.consume(25);
        assertThat(peer.consumedPosition()).isEqualTo(25);
    }

    /** Requests the last report immediately after another report has read the consumed position. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldCoverAllConsumedDataInTheLastReport(int read) {
        InputBuffer buffer = subscribe(StubTransport.words(), WORD);
        List<Long> reported = new ArrayList<>();
        ReadOutlet outlet = new ReadOutlet();
        worker.run(() -> buffer.goOnTo(outlet));
        outlet.consumed = 30;
        outlet.readsLeft = read;
        outlet.afterReads = () -> {
            outlet.consumed = 70;
            buffer.reportLast(() -> reported.add(peer.consumedPosition()));
        };
        buffer.outletConsumed(30);
        worker.run();
        assertThat(reported).containsExactly(70L);
    }

    /** Accepts messages again, and returns the types of the messages sent after this call. */
    private List<ControlType> sentFromNowOn() {
        List<ControlType> sent = new ArrayList<>();
        connection.onSend(message -> {
            sent.add(ControlType.of(ControlLayout.typeCode(message)));
            return PostResult.SENT;
        });
        endpoint.writable();
        worker.run();
        return sent;
    }

    @Test
    void shouldReportConsumptionBeforeItAnswersAnEnd() {
        InputBuffer buffer = subscribe(StubTransport.socket(Integer.MAX_VALUE), RemoteAccess.NONE);
        buffer.consume(10);
        connection.onSend(message -> PostResult.NO_WINDOW);
        for (int i = 0; i < 50_000; i++) {
            // A hostile peer sends END repeatedly.
            ask(ControlType.END, 100);
        }
        assertThat(sentFromNowOn()).containsExactly(ControlType.CREDIT, ControlType.UNSUBSCRIBE);
        assertThat(buffer.state().creditCount()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldReportConsumptionWhenTheApplicationUnsubscribesAtTheEnd(boolean unsubscribesLater) {
        InputBuffer buffer = subscribe(StubTransport.socket(Integer.MAX_VALUE), RemoteAccess.NONE);
        buffer.consume(10);
        connection.onSend(message -> PostResult.NO_WINDOW);
        if (!unsubscribesLater) {
            onEnded = () -> inputs.unsubscribe(5);
        }
        ask(ControlType.END, 100);
        if (unsubscribesLater) {
            inputs.unsubscribe(5);
            worker.run();
        }
        assertThat(sentFromNowOn()).containsExactly(ControlType.CREDIT, ControlType.UNSUBSCRIBE);
        ask(ControlType.UNSUBSCRIBED, 100);
        assertThat(buffer.unsubscribed()).isCompleted();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldCloseWhenABufferEndsBeforeTheLastReportHasBeenSent(boolean endsFirst) {
        InputBuffer buffer = subscribe(StubTransport.socket(Integer.MAX_VALUE), RemoteAccess.NONE);
        buffer.consume(10);
        connection.onSend(message -> PostResult.NO_WINDOW);
        if (endsFirst) {
            ask(ControlType.END, 100);
        }
        endpoint.close("done");
        worker.run();
        if (!endsFirst) {
            ask(ControlType.END, 100);
        }
        assertThat(sentFromNowOn()).startsWith(ControlType.CREDIT).contains(ControlType.GOODBYE);
    }

    /** Starts to close the connection while another thread is sending the last report of an ended buffer. */
    @Test
    void shouldRunBothRequestsForTheLastReport() {
        InputBuffer buffer = subscribe(StubTransport.words(), WORD);
        List<String> sent = new ArrayList<>();
        ReadOutlet outlet = new ReadOutlet();
        worker.run(() -> buffer.goOnTo(outlet));
        outlet.readsLeft = 1;
        outlet.afterReads = () -> buffer.reportLast(() -> sent.add("closing"));
        buffer.reportLast(() -> sent.add("ended"));
        worker.run();
        assertThat(sent).containsExactly("ended", "closing");
    }

    @Test
    void shouldSendMessagesWhenTheTransportCannotWriteWords() {
        InputBuffer buffer = subscribe(StubTransport.socket(Integer.MAX_VALUE), WORD);
        buffer.consume(25);
        assertThat(peer.consumedPosition()).isEqualTo(25);
    }

    /** An outlet that runs an action after its consumed position has been read a given number of times. */
    private static final class ReadOutlet implements Outlet {
        private long consumed;
        private int readsLeft;
        private Runnable afterReads;

        @Override
        public String refusalOf(boolean overwriting, boolean lossy) {
            return null;
        }

        @Override
        public void begin(long position) {}

        @Override
        public void arrived(long position, long length) {}

        @Override
        public void gap(long lost) {}

        @Override
        public void announce() {}

        @Override
        public void send() {}

        @Override
        public void spaceWanted(long position) {}

        @Override
        public void end() {}

        @Override
        public long consumedPosition() {
            long read = consumed;
            if (--readsLeft == 0) {
                afterReads.run();
            }
            return read;
        }
    }
}
