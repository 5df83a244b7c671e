package io.rocketbufs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

final class MainTest {
    private static final Exception FAILURE = new IllegalStateException("the buffer does not exist");

    @Test
    void shouldReturnTheCauseOfAFuturesFailure() {
        assertThat(Main.causeOf(new ExecutionException(FAILURE))).isSameAs(FAILURE);
        assertThat(Main.causeOf(new CompletionException(FAILURE))).isSameAs(FAILURE);
    }

    @Test
    void shouldReturnAnyOtherFailureUnchanged() {
        Exception wrapping = new IllegalStateException(FAILURE);

        assertThat(Main.causeOf(wrapping)).isSameAs(wrapping);
    }
}
