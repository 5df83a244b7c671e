package io.rocketbufs.link;

import static io.rocketbufs.link.ScriptedTask.ONE;
import static io.rocketbufs.link.ScriptedTask.OTHER;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.link.SendTask.Outcome;
import org.junit.jupiter.api.Test;

/** Tests of the transitions of a task's state word. */
final class SendTaskTest {
    private final ScriptedTask task = new ScriptedTask();

    @Test
    void shouldNotBeQueuedBeforeTheSenderHasStartedIt() {
        assertThat(task.signal()).isFalse();
        assertThat(task.unpark()).isFalse();
        assertThat(task.request(ONE)).isFalse();
    }

    @Test
    void shouldNotRestWithARequestThatArrivedWhileItWasTaken() {
        task.takeRequests();
        assertThat(task.request(ONE)).as("claims a queued task").isFalse();
        assertThat(task.rest(Outcome.IDLE)).isFalse();
        assertThat(task.rest(Outcome.PARKED)).isFalse();
        assertThat(task.takeRequests()).isEqualTo(ONE);
        assertThat(task.rest(Outcome.PARKED)).isTrue();
    }

    @Test
    void shouldQueueItselfWhenWorkArrivesWhileItRests() {
        task.work = true;
        assertThat(task.rest(Outcome.IDLE)).isFalse();
        assertThat(task.signal()).as("queued twice").isFalse();
        task.work = false;
        assertThat(task.rest(Outcome.IDLE)).isTrue();
    }

    @Test
    void shouldLeaveWorkToTheThreadThatSignalledIt() {
        task.rested(Outcome.IDLE);
        assertThat(task.signal()).isTrue();
        assertThat(task.signal()).as("queued twice").isFalse();
        assertThat(task.request(ONE)).as("queued twice").isFalse();
        assertThat(task.takeRequests()).isEqualTo(ONE);
    }

    @Test
    void shouldBeQueuedOnceForRequestsOfSeveralThreads() {
        task.rested(Outcome.IDLE);
        assertThat(task.request(ONE)).isTrue();
        assertThat(task.request(OTHER)).isFalse();
        assertThat(task.takeRequests()).isEqualTo(ONE | OTHER);
        assertThat(task.takeRequests()).isZero();
    }

    @Test
    void shouldNotBeQueuedByDataWhileParked() {
        task.rested(Outcome.PARKED);
        assertThat(task.signal()).isFalse();
        assertThat(task.isParked()).isTrue();
    }

    @Test
    void shouldBeQueuedOnceByMessagesFromThePeerWhileParked() {
        task.rested(Outcome.PARKED);
        assertThat(task.unpark()).isTrue();
        assertThat(task.isParked()).as("parked while it is queued").isFalse();
        assertThat(task.unpark()).as("queued twice").isFalse();
    }

    @Test
    void shouldBeQueuedByARequestEvenIfParked() {
        task.rested(Outcome.PARKED);
        assertThat(task.request(ONE)).isTrue();
        assertThat(task.isParked()).isFalse();
        assertThat(task.takeRequests()).isEqualTo(ONE);
        task.rested(Outcome.IDLE);
        assertThat(task.signal()).as("no longer parked").isTrue();
    }

    @Test
    void shouldNotBeQueuedByMessagesFromThePeerUnlessParked() {
        task.rested(Outcome.IDLE);
        assertThat(task.unpark()).isFalse();
        assertThat(task.signal()).isTrue();
    }

    @Test
    void shouldBeAskedForMemoryOnceRegardlessOfItsState() {
        assertThat(task.requestRelief()).isTrue();
        task.rested(Outcome.PARKED);
        assertThat(task.isParked()).isTrue();
        task.request(ONE);
        task.takeRequests();
        task.rested(Outcome.IDLE);
        assertThat(task.requestRelief()).as("asked twice").isFalse();
        task.reliefBegins();
        assertThat(task.requestRelief()).isTrue();
    }

    @Test
    void shouldRestEvenIfMemoryIsRequested() {
        task.requestRelief();
        assertThat(task.rest(Outcome.IDLE)).isTrue();
        assertThat(task.takeRequests()).as("relief does not count as a request").isZero();
    }

    @Test
    void shouldCountTheDeliveriesSinceTheLastSignal() {
        assertThat(task.gathered(1)).isZero();
        assertThat(task.gathered(2)).isZero();
        assertThat(task.gathered(7)).isEqualTo(4);
    }
}
