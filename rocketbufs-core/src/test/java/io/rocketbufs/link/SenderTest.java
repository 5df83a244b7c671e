package io.rocketbufs.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.link.SendTask.Outcome;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.stub.StubConnection;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWorker;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Tests of the phases of a sending side, on a connection that blocks and fails on request. */
final class SenderTest {
    private static final int NO_LIMIT = 1 << 20;

    private final StubWorker worker = new StubWorker();
    private final StubConnection connection = new StubConnection(worker, StubTransport.socket(Integer.MAX_VALUE), 7);
    private final List<String> sent = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private final Sender sender = new Sender(
            connection, () -> note("finished"), () -> note("closing"), e -> events.add("failed: " + e.getMessage()));
    private boolean full;

    SenderTest() {
        connection.onSend(message -> {
            if (full) {
                return PostResult.NO_WINDOW;
            }
            sent.add("" + (char) message.get(message.position()));
            return PostResult.SENT;
        });
    }

    private void note(String event) {
        events.add(event + (worker.inWorker() ? "" : " on another thread"));
    }

    private static ByteBuffer message(char letter) {
        return ByteBuffer.allocate(1).put(0, (byte) letter);
    }

    /** Returns a task that sends a letter and then has no work. */
    private ScriptedTask sending(char letter) {
        return new ScriptedTask().then(send(letter, Outcome.IDLE));
    }

    private Supplier<Outcome> send(char letter, Outcome outcome) {
        return () -> sender.send(message(letter)) ? outcome : Outcome.BLOCKED;
    }

    private void open() {
        sender.open(message('o'));
        sent.clear();
    }

    private void control(char letter) {
        assertThat(sender.sendControl(message(letter), NO_LIMIT)).isTrue();
    }

    private void writable() {
        full = false;
        sender.onWritable();
    }

    // QUEUING

    @Test
    void shouldSendNothingBeforeTheFirstMessage() {
        control('c');
        sender.start(sending('t'));
        sender.onWritable();
        worker.run();
        assertThat(sent).isEmpty();
        sender.open(message('o'));
        assertThat(sent).containsExactly("o", "c", "t");
    }

    @Test
    void shouldCallBackOnceWhenTheControlMessagesBeforeHaveBeenTaken() {
        open();
        sender.start(new AfterControl(() -> events.add("none waits")));
        assertThat(events).containsExactly("none waits");
        full = true;
        control('a');
        sender.start(new AfterControl(() -> events.add("after " + sent)));
        control('b');
        worker.run();
        assertThat(events).hasSize(1);
        writable();
        control('c');
        worker.run();
        assertThat(events).containsExactly("none waits", "after [a, b]");
        sender.start(new AfterControl(() -> events.add("after " + sent)));
        assertThat(events).last().isEqualTo("after [a, b, c]");
    }

    @Test
    void shouldDropQueuedMessagesWhenOpenedWithoutAFirstMessage() {
        control('c');
        sender.openEmpty();
        control('g');
        assertThat(sent).containsExactly("g");
    }

    @Test
    void shouldKeepQueuedMessagesWhenAlreadyOpen() {
        open();
        full = true;
        control('c');
        sender.openEmpty();
        writable();
        assertThat(sent).containsExactly("c");
    }

    @Test
    void shouldFinishWithoutSendingWhenNeverOpened() {
        sender.start(sending('t'));
        sender.finishEarly();
        worker.run();
        assertThat(sent).isEmpty();
        assertThat(connection.isFinished()).isTrue();
        assertThat(events).containsExactly("finished");
    }

    // OPEN

    @Test
    void shouldSendControlMessagesBeforeTheNextTask() {
        open();
        sender.start(new ScriptedTask()
                .then(() -> {
                    sender.start(sending('u'));
                    control('c');
                    return Outcome.AGAIN;
                })
                .then(send('t', Outcome.IDLE)));
        assertThat(sent).containsExactly("c", "t", "u");
    }

    @Test
    void shouldContinueWithTheBlockedTaskBeforeOthers() {
        open();
        full = true;
        sender.start(new ScriptedTask().then(send('t', Outcome.IDLE)).then(send('t', Outcome.IDLE)));
        sender.start(sending('u'));
        assertThat(sender.isBlocked()).isTrue();
        writable();
        assertThat(sent).containsExactly("t", "u");
    }

    @Test
    void shouldServeTasksInTurn() {
        open();
        ScriptedTask both = new ScriptedTask().then(send('t', Outcome.AGAIN)).then(send('t', Outcome.IDLE));
        ScriptedTask other = new ScriptedTask().then(send('u', Outcome.AGAIN)).then(send('u', Outcome.IDLE));
        ScriptedTask starter = new ScriptedTask().then(() -> {
            sender.start(both);
            sender.start(other);
            return Outcome.IDLE;
        });
        sender.start(starter);
        assertThat(sent).containsExactly("t", "u", "t", "u");
    }

    @Test
    void shouldYieldToOtherConnectionsDuringALongQueue() {
        open();
        ScriptedTask busy = new ScriptedTask();
        for (int i = 0; i < 100; i++) {
            busy.then(() -> Outcome.AGAIN);
        }
        sender.start(busy);
        assertThat(busy.taken).as("served on the caller's thread").hasSize(64);
        worker.run();
        assertThat(busy.taken).hasSize(101);
    }

    @Test
    void shouldServeARequestThatArrivesWhileTheTaskIsTaken() {
        open();
        ScriptedTask task = new ScriptedTask();
        task.then(() -> {
            sender.request(task, ScriptedTask.ONE);
            return Outcome.PARKED;
        });
        sender.start(task);
        worker.run();
        assertThat(task.taken).containsExactly(0, ScriptedTask.ONE);
    }

    @Test
    void shouldAskForMemoryEvenIfTheTransportAcceptsNothing() {
        open();
        full = true;
        ScriptedTask task = sending('t');
        sender.start(task);
        sender.relieve(task);
        assertThat(task.relieved).isEqualTo(1);
        assertThat(sent).isEmpty();
    }

    @Test
    void shouldRefuseControlMessagesBeyondTheLimit() {
        open();
        full = true;
        assertThat(sender.sendControl(message('a'), 2)).isTrue();
        assertThat(sender.sendControl(message('b'), 2)).isTrue();
        assertThat(sender.sendControl(message('c'), 2)).isFalse();
        writable();
        assertThat(sent).containsExactly("a", "b");
    }

    // FINISHING

    @Test
    void shouldHalfCloseOnlyWhenEverythingWaitingIsSent() {
        open();
        full = true;
        control('c');
        sender.start(sending('t'));
        sender.finish();
        worker.run();
        assertThat(connection.isFinished()).isFalse();
        writable();
        worker.run();
        assertThat(sent).containsExactly("c", "t");
        assertThat(connection.isFinished()).isTrue();
        assertThat(events).containsExactly("finished");
    }

    @Test
    void shouldHalfCloseOnlyWhenAllWritesHaveCompleted() {
        open();
        List<Long> completed = new ArrayList<>();
        connection.onWrite(request -> PostResult.POSTED);
        sender.start(new ScriptedTask().then(() -> {
            sender.posted(owner(completed), 5, sender.post());
            return Outcome.IDLE;
        }));
        sender.finish();
        worker.run();
        assertThat(connection.isFinished()).isFalse();
        sender.onCompleted(1);
        worker.run();
        assertThat(completed).containsExactly(5L);
        assertThat(events).containsExactly("finished");
    }

    private static WriteOwner owner(List<Long> completed) {
        return new WriteOwner() {
            @Override
            public void writePosted() {
                // The test counts only completions.
            }

            @Override
            public void writeCompleted(long end) {
                completed.add(end);
            }

            @Override
            public void writeDone(long end) {
                throw new AssertionError("done immediately");
            }
        };
    }

    @Test
    void shouldDropControlMessagesAfterTheLast() {
        open();
        full = true;
        control('c');
        sender.finish();
        control('d');
        writable();
        assertThat(sent).containsExactly("c");
    }

    @Test
    void shouldFinishOnce() {
        open();
        sender.finish();
        sender.finish();
        sender.finishEarly();
        sender.onWritable();
        worker.run();
        assertThat(events).containsExactly("finished");
    }

    // TRUNCATING

    @Test
    void shouldHalfCloseWithoutUncommittedDataWhenItFinishesEarly() {
        open();
        full = true;
        sender.start(sending('t'));
        sender.finish();
        sender.finishEarly();
        worker.run();
        writable();
        assertThat(sent).isEmpty();
        assertThat(events).containsExactly("finished");
    }

    @Test
    void shouldNotGoBackFromFinishingEarly() {
        open();
        connection.onWrite(request -> PostResult.POSTED);
        sender.start(new ScriptedTask().then(() -> {
            sender.posted(owner(new ArrayList<>()), 5, sender.post());
            return Outcome.IDLE;
        }));
        sender.finishEarly();
        sender.finish();
        sender.start(sending('t'));
        sender.onCompleted(1);
        worker.run();
        assertThat(sent).isEmpty();
        assertThat(events).containsExactly("finished");
    }

    // BROKEN

    @Test
    void shouldSendNothingMoreAfterATaskHasThrown() {
        open();
        sender.start(new ScriptedTask().then(() -> {
            throw new IllegalStateException("thrown by the task");
        }));
        control('c');
        sender.start(sending('t'));
        sender.onWritable();
        sender.finish();
        worker.run();
        assertThat(sent).isEmpty();
        assertThat(connection.isFinished()).isFalse();
        assertThat(events).containsExactly("failed: thrown by the task");
    }

    @Test
    void shouldCloseEvenAfterATaskHasThrown() {
        open();
        sender.start(new ScriptedTask().then(() -> {
            throw new IllegalStateException("thrown by the task");
        }));
        sender.close();
        worker.run();
        assertThat(events).containsExactly("failed: thrown by the task", "closing");
    }

    // CLOSED

    @Test
    void shouldCloseOnceAndSendNothingAfterwards() {
        open();
        sender.close();
        sender.close();
        ScriptedTask late = sending('t');
        sender.start(late);
        control('c');
        sender.relieve(late);
        sender.onWritable();
        worker.run();
        assertThat(events).containsExactly("closing");
        assertThat(sent).isEmpty();
        assertThat(late.relieved).isZero();
    }

    @Test
    void shouldCloseWhenTheTaskThatIsBeingServedHasReturned() {
        open();
        sender.start(new ScriptedTask().then(() -> {
            sender.close();
            worker.run();
            assertThat(events).as("events while a task is being served").isEmpty();
            return send('t', Outcome.IDLE).get();
        }));
        worker.run();
        assertThat(sent).containsExactly("t");
        assertThat(events).containsExactly("closing");
    }

    @Test
    void shouldCloseWhenTheTokenWaitsForTheWorker() {
        open();
        ScriptedTask busy = new ScriptedTask();
        for (int i = 0; i < 100; i++) {
            busy.then(() -> Outcome.AGAIN);
        }
        sender.start(busy);
        sender.close();
        worker.run();
        assertThat(events).containsExactly("closing");
        assertThat(busy.taken)
                .as("calls of the task, none of them after the close")
                .hasSize(64);
    }

    @Test
    void shouldCloseAfterItHasFinished() {
        open();
        sender.finish();
        worker.run();
        sender.close();
        worker.run();
        assertThat(events).containsExactly("finished", "closing");
    }
}
