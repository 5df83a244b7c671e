package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.settings.SettingsException;
import io.rocketbufs.settings.SettingsReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ConfigOptionsTest {
    private final ConfigOptions options = new ConfigOptions("sample", "sample.open-ports");

    @TempDir
    Path folder;

    @Test
    void shouldUseTheDefaultsWithoutOptions() {
        assertThat(options.load().getString("rocketbufs.transport")).isEqualTo("auto");
    }

    @Test
    void shouldCheckTheKeysOfTheProgramItself() {
        options.sets = List.of("sample.prt=0");
        assertThatThrownBy(options::load)
                .isInstanceOf(SettingsException.class)
                .hasMessage("command line: sample.prt: is not a known key; did you mean sample.port?");
    }

    @Test
    void shouldPreferOtherOptionsToSetToTheEnvironmentToTheFile() throws IOException {
        file("sample.port = 1");
        List<Config> higher = new ArrayList<>();
        options.withEnvironment(above -> {
            higher.add(above);
            return ConfigFactory.parseString("sample.port = 2");
        });
        assertThat(options.load().getInt("sample.port")).isEqualTo(2);
        assertThat(higher.get(0).hasPath("sample.port")).isFalse();
        options.sets = List.of("sample.port=3");
        assertThat(options.load().getInt("sample.port")).isEqualTo(3);
        assertThat(higher.get(1).getInt("sample.port")).isEqualTo(3);
        options.withOthers(() -> ConfigFactory.parseString("sample.port = 4"));
        assertThat(options.load().getInt("sample.port")).isEqualTo(4);
        assertThat(higher.get(2).getInt("sample.port")).isEqualTo(4);
    }

    @Test
    void shouldKeepOwnKeysApartFromTheConfiguration() throws IOException {
        file("length = 7");
        options.withOwnKeys(List.of("keep.time", "length"));
        options.sets = List.of("keep.time=1h", "length=5", "sample.port=3");
        Config loaded = options.load();
        assertThat(loaded.getInt("sample.port")).isEqualTo(3);
        assertThat(loaded.hasPath("keep.time")).isFalse();
        assertThat(options.own().getInt("length")).isEqualTo(5);
        assertThat(options.own().entrySet()).hasSize(2);
        options.sets = List.of("keep.tiem=1h");
        assertThatThrownBy(options::load)
                .hasMessage("command line: keep.tiem: is not a known key; did you mean keep.time?");
    }

    @Test
    void shouldAcceptAnyKeyBelowAnOpenKey() {
        options.sets = List.of("sample.open-ports.pigeon=7613");
        assertThat(options.load().getInt("sample.open-ports.pigeon")).isEqualTo(7613);
    }

    @Test
    void shouldAllowTheKeysOfOtherProgramsInAFileOnly() throws IOException {
        file("other.kye = 1");
        assertThat(options.load().getInt("other.kye")).isEqualTo(1);
        options.sets = List.of("other.kye=1");
        assertThatThrownBy(options::load)
                .hasMessage("command line: other.kye: is not a known key; keys begin with rocketbufs or sample");
    }

    @Test
    void shouldReportAMisspeltRoot() throws IOException {
        Path file = file("smaple {", "  port = 1", "}");
        assertThatThrownBy(options::load)
                .hasMessage(file + ": 2: smaple.port: is not a known key; did you mean sample.port?");
    }

    @Test
    void shouldReportTheErrorsOfAllSourcesTogether() throws IOException {
        Path file = file("sample.port = many", "rocketbufs.transprot = tcp");
        options.sets = List.of("sample.prt=1", "sample.open-ports.tcp=x");
        assertThatThrownBy(() -> options.load(
                        config -> new SettingsReader(config, "sample").integer("port", 0, 1),
                        config -> new SettingsReader(config, "sample").integer("open-ports.tcp", 0, 1)))
                .hasMessage(String.join(
                        "\n",
                        "command line: sample.prt: is not a known key; did you mean sample.port?",
                        "command line: sample.open-ports.tcp: \"x\" cannot be read: expected a whole number",
                        file + ": 1: sample.port: \"many\" cannot be read: expected a whole number",
                        file + ": 2: rocketbufs.transprot: is not a known key; did you mean rocketbufs.transport?"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sample.token=hunter2",
                "sample.token={x=hunter2}",
                "sample.tokn=hunter2",
                "sampel.token=hunter2",
                "sample.token:hunter2",
                "hunter2",
                "=hunter2",
                "sample..token=hunter2",
                "sample={token=hunter2}",
                "sample.token=\"hunter2",
                "sample.token=${hunter2"
            })
    void shouldNeverShowASecretOfTheCommandLine(String set) {
        options.sets = List.of(set);
        assertThatThrownBy(() -> options.load(config -> new SettingsReader(config, "sample").texts("token")))
                .message()
                .doesNotContain("hunter2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sample.token = \"hunter2",
                "sample { token = hunter2",
                "sample.token = hunter2 [a]",
                "sample.token = [hunter2",
                "sample.token = hunter2 }",
                "sample.token = hunter2 = x",
                "sample.token hunter2",
                "sample.token = a@hunter2"
            })
    void shouldNeverShowTheTextOfAFile(String line) throws IOException {
        Path file = file("# first", line);
        assertThatThrownBy(options::load)
                .hasMessageStartingWith(file + ": ")
                .message()
                .doesNotContain("hunter2");
    }

    @Test
    void shouldConvertItselfToArguments() throws IOException {
        Path file = file("sample.port = 4");
        options.sets = List.of("sample.port=5", "sample.port=6");
        assertThat(options.toArguments())
                .containsExactly(
                        "--config",
                        file.toAbsolutePath().toString(),
                        "--set",
                        "sample.port=5",
                        "--set",
                        "sample.port=6");
    }

    @Test
    void shouldPreferTheCommandLineToTheFileAndLaterOptionsToEarlierOnes() throws IOException {
        file("rocketbufs.buffer-capacity = 1 KiB", "rocketbufs.close-timeout = 1 s");
        options.sets = List.of("rocketbufs.buffer-capacity=2 KiB", "rocketbufs.buffer-capacity=3 KiB");
        Config config = options.load();
        assertThat(config.getBytes("rocketbufs.buffer-capacity")).isEqualTo(3072);
        assertThat(config.getDuration("rocketbufs.close-timeout").toMillis()).isEqualTo(1000);
    }

    @Test
    void shouldNameFileAndLineAndSuggestAKeyWhenAKeyIsUnknown() throws IOException {
        Path file = file("# a comment", "rocketbufs {", "  bufer-capacity = 1 KiB", "}");
        assertThatThrownBy(options::load)
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(file + ": 3")
                .hasMessageContaining("did you mean rocketbufs.buffer-capacity?");
    }

    @Test
    void shouldNameTheOptionWhenItsKeyIsUnknown() {
        options.sets = List.of("rocketbufs.transprot=tcp");
        assertThatThrownBy(options::load)
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("command line: rocketbufs.transprot: ")
                .hasMessageContaining("did you mean rocketbufs.transport?");
    }

    @Test
    void shouldExplainASyntaxError() throws IOException {
        Path file = file("rocketbufs {", "  transport = tcp");
        assertThatThrownBy(options::load)
                .isInstanceOfSatisfying(
                        CommandFailure.class,
                        failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.BAD_CONFIGURATION))
                .hasMessage(file + ": 1: this { is never closed: } is missing");
    }

    @Test
    void shouldRejectAFileThatDoesNotExist() {
        options.file = folder.resolve("none.conf").toFile();
        assertThatThrownBy(options::load)
                .isInstanceOfSatisfying(
                        CommandFailure.class,
                        failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.BAD_CONFIGURATION));
    }

    @Test
    void shouldAcceptAValueWithoutTheQuotesThatAFileRequires() {
        options.sets = List.of(
                "rocketbufs.transport=127.0.0.1:7610",
                "sample.open-ports.path=/a//b#c",
                "sample.open-ports.quoted=\"x y\"");
        Config config = options.load();
        assertThat(config.getString("rocketbufs.transport")).isEqualTo("127.0.0.1:7610");
        assertThat(config.getString("sample.open-ports.path")).isEqualTo("/a//b#c");
        assertThat(config.getString("sample.open-ports.quoted")).isEqualTo("x y");
    }

    @Test
    void shouldAcceptListsAndObjects() {
        options.sets = List.of("sample.open-ports.list=[{transport=tcp,port=0},{transport=rdma,port=1}]");
        assertThat(options.load().getConfigList("sample.open-ports.list").get(1).getInt("port"))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"rocketbufs.transport", "=hunter2", "sample.token:hunter2==", "sample..token=hunter2", "a b=c"})
    void shouldRejectAnOptionThatIsNotAnAssignment(String set) {
        options.sets = List.of(set);
        assertThatThrownBy(options::load)
                .hasMessage("--set needs KEY=VALUE")
                .isInstanceOfSatisfying(
                        CommandFailure.class,
                        failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.USAGE));
    }

    private Path file(String... lines) throws IOException {
        Path file = Files.write(folder.resolve("test.conf"), List.of(lines));
        options.file = file.toFile();
        return file;
    }
}
