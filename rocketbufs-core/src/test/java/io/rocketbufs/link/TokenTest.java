package io.rocketbufs.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TokenTest {
    private final Token token = new Token();

    @Test
    void shouldBeKeptByTheHolderWhenAMarkWasLeft() {
        token.tryEnter();
        assertThat(token.tryEnter()).isFalse();
        assertThat(token.tryLeave()).as("leaves even though a mark was left").isFalse();
        assertThat(token.tryEnter()).as("entered while held").isFalse();
    }

    @Test
    void shouldBeFreeOnceAllMarksAreSeen() {
        token.tryEnter();
        for (int i = 0; i < 3; i++) {
            token.tryEnter();
        }
        assertThat(token.tryLeave()).isFalse();
        assertThat(token.tryLeave()).as("one pass covers all earlier marks").isTrue();
        assertThat(token.tryEnter()).isTrue();
    }

    @Test
    void shouldNotBeEnteredWhileItWaitsForTheWorker() {
        token.tryEnter();
        token.queue();
        assertThat(token.tryEnter()).isFalse();
        assertThat(token.takeQueued()).isTrue();
    }

    @Test
    void shouldBeRefusedToTheWorkerWhenAnotherThreadHasTakenIt() {
        token.tryEnter();
        token.queue();
        assertThat(token.takeQueued()).isTrue();
        assertThat(token.takeQueued()).isFalse();
        assertThat(token.tryLeave()).isTrue();
        assertThat(token.takeQueued()).isFalse();
    }

    @Test
    void shouldIgnoreAMarkLeftBeforeItWasQueued() {
        token.tryEnter();
        token.tryEnter();
        token.queue();
        token.takeQueued();
        assertThat(token.tryLeave()).isTrue();
    }

    @Test
    void shouldNotBeTakenUnlessQueued() {
        assertThat(token.takeQueued()).isFalse();
        token.tryEnter();
        assertThat(token.takeQueued()).isFalse();
        token.tryEnter();
        assertThat(token.takeQueued()).isFalse();
    }
}
