package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import io.rocketbufs.settings.SettingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ConfigOptionsTest {
    private final ConfigOptions options = new ConfigOptions("sample", "sample.open-ports");

    @TempDir
    Path folder;

    @Test
    void shouldUseTheDefaultsWithoutOptions() {
        assertThat(options.load().getString("rocketbufs.transport")).isEqualTo("tcp");
    }

    @Test
    void shouldCheckTheKeysOfTheProgramItself() {
        options.sets = List.of("sample.prt=0");
        assertThatThrownBy(options::load)
                .isInstanceOf(SettingsException.class)
                .hasMessage("command line: --set sample.prt=0: sample.prt: is not a known key; did you mean"
                        + " sample.port?");
    }

    @Test
    void shouldAcceptAnyKeyBelowAnOpenKey() {
        options.sets = List.of("sample.open-ports.pigeon=7613");
        assertThat(options.load().getInt("sample.open-ports.pigeon")).isEqualTo(7613);
    }

    @Test
    void shouldNotCheckTheKeysOfOtherPrograms() {
        options.sets = List.of("other.kye=1");
        assertThat(options.load().getInt("other.kye")).isEqualTo(1);
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
                .hasMessageContaining("command line: --set rocketbufs.transprot=tcp")
                .hasMessageContaining("did you mean rocketbufs.transport?");
    }

    @Test
    void shouldNameTheFileWhenItHasASyntaxError() throws IOException {
        Path file = file("rocketbufs {", "  transport = ");
        assertThatThrownBy(options::load).isInstanceOf(ConfigException.class).hasMessageContaining(file.toString());
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
        options.sets = List.of("rocketbufs.transport=127.0.0.1:7610", "other.path=/a//b#c", "other.quoted=\"x y\"");
        Config config = options.load();
        assertThat(config.getString("rocketbufs.transport")).isEqualTo("127.0.0.1:7610");
        assertThat(config.getString("other.path")).isEqualTo("/a//b#c");
        assertThat(config.getString("other.quoted")).isEqualTo("x y");
    }

    @Test
    void shouldAcceptListsAndObjects() {
        options.sets = List.of("other.list=[{transport=tcp,port=0},{transport=rdma,port=1}]");
        assertThat(options.load().getConfigList("other.list").get(1).getInt("port"))
                .isEqualTo(1);
    }

    @Test
    void shouldRejectAnOptionThatIsNotAnAssignment() {
        options.sets = List.of("rocketbufs.transport");
        assertThatThrownBy(options::load)
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
