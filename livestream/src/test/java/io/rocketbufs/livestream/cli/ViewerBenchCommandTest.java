package io.rocketbufs.livestream.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.ExitCode;
import java.net.URI;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
final class ViewerBenchCommandTest {
    private static final URI URL = URI.create("https://localhost:7443");

    @Test
    void shouldWatchTheStreamsThatHaveNotEnded() {
        assertThat(ViewerBenchCommand.namesIn(
                        "[{\"name\":\"a\",\"ended\":true},{\"name\":\"b\",\"ended\":false}]", URL))
                .containsExactly("b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"<html>hello</html>", "{}", "[{\"name\":\"a\"}]"})
    void shouldExitWith1WhenTheServerIsNotAnEdge(String answer) {
        assertThatThrownBy(() -> ViewerBenchCommand.namesIn(answer, URL))
                .hasMessage("the server at https://localhost:7443 is not an edge")
                .isInstanceOfSatisfying(
                        CommandFailure.class,
                        failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED));
    }
}
