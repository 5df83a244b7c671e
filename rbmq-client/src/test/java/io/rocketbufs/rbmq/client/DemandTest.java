package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of a demand's gate while one thread requests messages and another uses up the demand. */
@Tag("once")
@Timeout(600)
final class DemandTest {
    private static final Set<Thread.State> STOPPED =
            EnumSet.of(Thread.State.BLOCKED, Thread.State.WAITING, Thread.State.TERMINATED);

    private final Demand demand = new Demand();
    private volatile boolean isOpen = true;

    @Test
    void shouldBeOpenWhileThereIsDemand() {
        MessageHandler handler = limit(new Gate());
        assertThat(isOpen).isFalse();
        demand.add(2);
        assertThat(isOpen).isTrue();
        handler.onMessage(null);
        assertThat(isOpen).isTrue();
        handler.onMessage(null);
        assertThat(isOpen).isFalse();
        demand.add(Long.MAX_VALUE - 1);
        demand.add(1);
        handler.onMessage(null);
        demand.add(Long.MAX_VALUE);
        assertThat(isOpen).isTrue();
    }

    @Test
    void shouldBeOpenWhenMessagesWereRequestedBefore() {
        demand.add(1);
        limit(new Gate());
        assertThat(isOpen).isTrue();
    }

    /**
     * The requesting thread changes the demand, but opens the gate so late that the demand has already been used up.
     */
    @Test
    void shouldNotBeOpenedForDemandThatHasBeenUsedUp() throws Exception {
        SlowRequester slow = new SlowRequester();
        demand.add(1);
        MessageHandler handler = limit(slow);
        slow.taker = new Thread(() -> {
            handler.onMessage(null);
            slow.takerWaits = true;
            while (!isOpen) {
                Thread.onSpinWait();
            }
            handler.onMessage(null);
        });
        slow.taker.start();
        slow.taker.join();
        slow.requester.join();
        assertThat(isOpen).isFalse();
    }

    private MessageHandler limit(Gate gate) {
        return demand.limit(message -> {}, gate);
    }

    private class Gate implements Demand.Gate {
        @Override
        public void close() {
            isOpen = false;
        }

        @Override
        public void open() {
            isOpen = true;
        }
    }

    /** Requests one message from another thread while the first message closes the gate. */
    private final class SlowRequester extends Gate {
        private final Thread requester = new Thread(() -> demand.add(1));
        private volatile Thread taker;
        private volatile boolean takerWaits;
        private volatile boolean isOpening;

        @Override
        public void close() {
            super.close();
            if (Thread.currentThread() == taker && requester.getState() == Thread.State.NEW) {
                requester.start();
                while (!isOpening && !STOPPED.contains(requester.getState())) {
                    Thread.onSpinWait();
                }
            }
        }

        @Override
        public void open() {
            if (Thread.currentThread() == requester) {
                isOpening = true;
                while (!takerWaits(taker)) {
                    Thread.onSpinWait();
                }
            }
            super.open();
        }

        /** Returns true if the taking thread can continue only once the gate is open, or has taken both messages. */
        private boolean takerWaits(Thread thread) {
            return takerWaits && !isOpen || STOPPED.contains(thread.getState());
        }
    }
}
