package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigException;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.settings.SettingsException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Tag("once")
final class CommandsTest {
    private final RecordedStreams recorded = new RecordedStreams("sample");
    private final List<String> words = new ArrayList<>();
    private Exception thrown;
    private int made;

    @Test
    void shouldReturnTheExitCodeOfTheCommand() {
        assertThat(run("throw", "--code", "5")).isEqualTo(5);
        assertThat(recorded.err()).isEmpty();
    }

    @Test
    void shouldCreateOnlyTheRequestedCommand() {
        run("throw");
        assertThat(made).isEqualTo(1);
        run("--help");
        assertThat(made).isEqualTo(3);
    }

    @ParameterizedTest
    @MethodSource
    void shouldReportAFailureInOneLine(Exception exception, int code, String line) {
        thrown = exception;
        assertThat(run("throw")).isEqualTo(code);
        assertThat(recorded.err()).isEqualTo("sample: " + line + "\n");
        assertThat(recorded.out()).isEmpty();
    }

    static Stream<Arguments> shouldReportAFailureInOneLine() {
        return Stream.of(
                Arguments.of(CommandFailure.failed("why"), 1, "why"),
                Arguments.of(CommandFailure.usage("why"), 2, "why"),
                Arguments.of(new CommandFailure(77, "why"), 77, "why"),
                Arguments.of(new SettingsException(null, "key", "is wrong"), 3, "key: is wrong"),
                Arguments.of(new ConfigException.Generic("why"), 3, "why"),
                Arguments.of(new TransportException(TransportException.Code.UNAVAILABLE, "why"), 69, "why"),
                Arguments.of(new TransportException(TransportException.Code.NO_LISTENER, "why"), 69, "why"),
                Arguments.of(new TransportException(TransportException.Code.UNREACHABLE, "why"), 69, "why"),
                Arguments.of(new TransportException(TransportException.Code.PEER_LOST, "why"), 69, "why"),
                Arguments.of(new TransportException(TransportException.Code.REFUSED, "why"), 77, "why"),
                Arguments.of(new TransportException(TransportException.Code.TIMEOUT, "why"), 5, "why"),
                Arguments.of(new TransportException(TransportException.Code.ADDRESS_IN_USE, "why"), 1, "why"),
                Arguments.of(new ConnectException("why"), 69, "why"),
                Arguments.of(new UnknownHostException("broker: Name or service not known"), 69, "broker: unknown host"),
                Arguments.of(new UncheckedIOException(new SocketTimeoutException("why")), 5, "why"),
                Arguments.of(new FileNotFoundException("why"), 1, "why"),
                Arguments.of(new IOException(), 1, "input/output error"),
                Arguments.of(new UncheckedIOException(new IOException("why")), 1, "why"),
                Arguments.of(new NoSuchFileException("/x"), 1, "/x: no such file or directory"),
                Arguments.of(new AccessDeniedException("/x"), 1, "/x: permission denied"),
                Arguments.of(new DirectoryNotEmptyException("/x"), 1, "/x: directory not empty"));
    }

    @Test
    void shouldPrintNothingWhenASignalInterrupts() {
        thrown = new InterruptedException();
        assertThat(run("throw")).isEqualTo(1);
        assertThat(recorded.err()).isEmpty();
    }

    @Test
    void shouldPrintTheStackTraceOfAnInternalError() {
        thrown = new IllegalStateException("why");
        assertThat(run("throw")).isEqualTo(1);
        assertThat(recorded.err())
                .startsWith("sample: internal error: java.lang.IllegalStateException: why\n")
                .contains("\tat ");
    }

    @Test
    void shouldSuggestTheClosestNameAndReferToTheHelp() {
        assertThat(run("throws")).isEqualTo(2);
        assertThat(recorded.err())
                .startsWith("sample: Unknown command: 'throws'\n")
                .contains("sample throw", "See sample --help");
        recorded.clear();
        assertThat(run("throw", "--cdoe=hunter2", "x")).isEqualTo(2);
        assertThat(recorded.err())
                .isEqualTo("sample: Unknown option: '--cdoe'; did you mean --code?\n"
                        + "If WORD begins with -, put -- before it\nSee sample throw --help\n");
        recorded.clear();
        assertThat(run("throw", "--xyzzy")).isEqualTo(2);
        assertThat(recorded.err()).startsWith("sample: Unknown option: '--xyzzy'\n");
    }

    @Test
    void shouldNotShowAnArgumentThatMayBeASecret() {
        assertThat(run("help", "--set", "hunter2")).isEqualTo(2);
        assertThat(run("completion", "bash", "hunter2")).isEqualTo(2);
        assertThat(run("throws", "word", "--set", "token=hunter2")).isEqualTo(2);
        assertThat(recorded.err()).startsWith("sample: ").doesNotContain("hunter2");
    }

    @Test
    void shouldShowTheVersionOfTheBuild() {
        assertThat(run("--version")).isZero();
        assertThat(recorded.out())
                .matches(
                        "sample [0-9]+[.][0-9.]+(-SNAPSHOT)?( \\([0-9a-z.-]+\\))?\nJava [0-9].*\n.+\ntransports: .+\n");
    }

    @Test
    void shouldShowTheHelpOfACommandByName() {
        assertThat(run("help", "throw")).isZero();
        String help = recorded.out();
        assertThat(help).startsWith("Usage: sample throw");
        recorded.clear();
        assertThat(run("throw", "--help")).isZero();
        assertThat(recorded.out()).isEqualTo(help);
        recorded.clear();
        assertThat(run("help")).isZero();
        assertThat(recorded.out()).startsWith("Usage: sample [").contains("completion");
        assertThat(run("help", "thorw")).isEqualTo(2);
        assertThat(recorded.err()).isEqualTo("sample: there is no command thorw; did you mean throw?\n");
    }

    @Test
    void shouldCompleteCommandsAndOptionsInBash(@TempDir Path folder) throws Exception {
        assertThat(run("completion", "bash")).isZero();
        Path script = Files.write(folder.resolve("script"), recorded.outBytes());
        assertThat(completed(script, "sample", "th")).containsExactly("throw");
        assertThat(completed(script, "sample", "")).contains("throw", "other", "help", "completion");
        assertThat(completed(script, "sample", "throw", "--co")).containsExactly("--code");
        assertThat(completed(script, "sample", "throw", "--log-level", "")).contains("DEBUG");
    }

    /** Returns the completions of the last word. */
    private static List<String> completed(Path script, String... words) throws Exception {
        String program = "source " + script + "; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1));"
                + " $(complete -p sample | sed 's/.*-F \\([^ ]*\\).*/\\1/'); printf '%s\\n' \"${COMPREPLY[@]}\"";
        List<String> command = new ArrayList<>(List.of("bash", "--norc", "-c", program, "bash", "-"));
        command.addAll(List.of(words));
        Process bash = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String printed = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor()).as(printed).isZero();
        return printed.lines().map(String::strip).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-hot", "-h=x", "-h=true", "-help", "-x", "-o", "-logs"})
    void shouldRefuseAParameterThatLooksLikeAnOptionAndSayHowToPassIt(String text) {
        assertThat(run("throw", text)).isEqualTo(2);
        assertThat(recorded.out()).isEmpty();
        assertThat(recorded.err()).startsWith("sample: ").contains("If WORD begins with -, put -- before it\n");
    }

    @Test
    void shouldNotSpeakOfParametersToACommandThatHasNone() {
        assertThat(run("-hot")).isEqualTo(2);
        assertThat(recorded.err()).startsWith("sample: Unknown option: '-hot'").doesNotContain("Put");
    }

    @Test
    void shouldPassEveryParameterAfterTwoDashes() {
        assertThat(run("throw", "--", "-h", "-hot", "--code", "@name")).isZero();
        assertThat(words).containsExactly("-h", "-hot", "--code", "@name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-5", "-1.5", "-1e3", "-", "@name", "@@", "#x", "\"a b\"", "${HOME}"})
    void shouldPassNumbersAndOtherTextAsTheyAre(String text) {
        assertThat(run("throw", "first", text)).as(recorded.err()).isZero();
        assertThat(words).containsExactly("first", text);
    }

    @Test
    void shouldRefuseAnArgumentThatIsNotUtf8() {
        assertThat(run("throw", "caf" + Commands.NOT_UTF_8)).isEqualTo(2);
        assertThat(recorded.err()).isEqualTo("sample: argument 2 is not UTF-8\n");
        assertThat(words).isEmpty();
    }

    @Test
    void shouldNotReadAFileOfArguments(@TempDir Path folder) throws IOException {
        String reference = "@" + Files.writeString(folder.resolve("name"), "--code 7");
        assertThat(run("throw", reference)).isZero();
        assertThat(words).containsExactly(reference);
    }

    @Test
    void shouldPrintUsageWithoutArguments() {
        assertThat(run()).isEqualTo(2);
        assertThat(recorded.err()).startsWith("Usage: sample");
    }

    @Test
    void shouldPrintHelpToStandardOutput() {
        assertThat(run("throw", "--help")).isZero();
        assertThat(recorded.out()).startsWith("Usage: sample throw").contains("--log-level");
        assertThat(recorded.err()).isEmpty();
    }

    private int run(String... arguments) {
        return new Commands(new Sample())
                .add("throw", streams -> make())
                .add("other", streams -> make())
                .run(arguments, recorded.withoutInput());
    }

    private Throwing make() {
        made++;
        return new Throwing(thrown, words);
    }

    @Command(name = "sample", synopsisSubcommandLabel = "COMMAND")
    static final class Sample {
        @Mixin
        CommonOptions common = new CommonOptions();

        @Mixin
        VersionOption version = new VersionOption();
    }

    @Command
    static final class Throwing implements Callable<Integer> {
        private final Exception thrown;
        private final List<String> seen;

        @Mixin
        CommonOptions common = new CommonOptions();

        @Option(names = "--code")
        int code;

        @Parameters(paramLabel = "WORD")
        List<String> words = new ArrayList<>();

        Throwing(Exception thrown, List<String> seen) {
            this.thrown = thrown;
            this.seen = seen;
        }

        @Override
        public Integer call() throws Exception {
            seen.addAll(words);
            if (thrown != null) {
                throw thrown;
            }
            return code;
        }
    }
}
