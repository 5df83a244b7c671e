package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("once")
final class ChildProgramTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final CountDownLatch ended = new CountDownLatch(1);

    @Test
    void shouldSendRequestsAndWaitForReplies() throws InterruptedException {
        try (ChildProgram child = shell("echo hello; while read order; do echo \"done $order\"; done")) {
            child.order("one");
            assertThat(child.await("done", LIMIT)).isEqualTo("done one");
            child.order("two");
            assertThat(child.await("done", LIMIT)).isEqualTo("done two");
        }
        assertThat(ended.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"0,1", "1,1", "2,2", "3,3", "4,4", "5,5", "69,69", "77,77", "137,1", "143,1"})
    void shouldFailWithTheExitCodeOfAChildWhenItNamesAReason(int code, int expected) {
        try (ChildProgram child = shell("exit " + code)) {
            assertThatThrownBy(() -> child.await("ready", LIMIT))
                    .hasMessage("child ended with exit code " + code)
                    .isInstanceOfSatisfying(
                            CommandFailure.class,
                            failure -> assertThat(failure.exitCode()).isEqualTo(expected));
        }
    }

    @Test
    void shouldTimeOutWhenTheLineDoesNotArrive() {
        try (ChildProgram child = shell("read order")) {
            assertThatThrownBy(() -> child.await("ready", Duration.ofMillis(20)))
                    .isInstanceOfSatisfying(
                            CommandFailure.class,
                            failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.TIMEOUT))
                    .hasMessage("child did not print \"ready\" within 0 s");
        }
    }

    @Test
    void shouldFailWhenItCannotBeStarted() {
        Programs missing = arguments -> new ProcessBuilder("/no/such/program").start();
        assertThatThrownBy(() -> ChildProgram.start(missing, "child", List.of(), () -> {}))
                .isInstanceOf(CommandFailure.class)
                .hasMessageStartingWith("cannot start child: ");
    }

    @Test
    void shouldReportProcessorTimeAndMemory() throws InterruptedException {
        try (ChildProgram child =
                shell("i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; echo ready; read order")) {
            child.await("ready", LIMIT);
            assertThat(child.cpuSeconds()).isPositive();
            assertThat(child.residentBytes()).isBetween(1L << 12, 1L << 30);
        }
    }

    @Test
    void shouldStartTheProgramAgainWithOtherArguments() throws IOException, InterruptedException {
        Process process = Programs.processes(Echo.class).start(List.of("a b", "--set", "c=\"d\""));
        assertThat(new String(process.getInputStream().readAllBytes())).isEqualTo("a b|--set|c=\"d\"");
        assertThat(process.waitFor()).isZero();
    }

    private ChildProgram shell(String script) {
        Programs shells = arguments -> new ProcessBuilder(arguments).start();
        return ChildProgram.start(shells, "child", List.of("sh", "-c", script), ended::countDown);
    }

    static final class Echo {
        public static void main(String[] arguments) {
            System.out.print(String.join("|", arguments));
        }
    }
}
