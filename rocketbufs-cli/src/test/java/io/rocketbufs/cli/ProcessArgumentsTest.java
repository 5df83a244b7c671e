package io.rocketbufs.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
final class ProcessArgumentsTest {
    @TempDir
    Path folder;

    @Test
    void shouldDecodeTheBytesOfTheCommandLineWhateverTheLocale() throws IOException {
        Path file = Files.write(folder.resolve("cmdline"), "java\0-cp\0x\0pub\0caf\u00e9\0\0\ufffd\0".getBytes(UTF_8));
        String[] asDecodedInAscii = {"pub", "caf\ufffd\ufffd", "", "\ufffd\ufffd\ufffd"};
        assertThat(ProcessArguments.of(asDecodedInAscii, file)).containsExactly("pub", "caf\u00e9", "", "\ufffd");
    }

    @Test
    void shouldMarkAnArgumentThatIsNotUtf8() throws IOException {
        Path file = Files.write(folder.resolve("cmdline"), "java\0pub\0caf\u00e9\0ok\0".getBytes(ISO_8859_1));
        assertThat(ProcessArguments.of(new String[] {"pub", "caf\ufffd", "ok"}, file))
                .containsExactly("pub", "caf\uffff", "ok");
    }

    @Test
    void shouldNotUseACommandLineThatHasOtherArguments() throws IOException {
        Path file = Files.write(folder.resolve("cmdline"), "java\0-cp\0x\0@arguments\0".getBytes(UTF_8));
        assertThat(ProcessArguments.of(new String[] {"pub", "t", "caf\u00e9"}, file))
                .containsExactly("pub", "t", "caf\u00e9");
        assertThat(ProcessArguments.of(new String[] {"caf\ufffd"}, file)).containsExactly("caf\uffff");
    }

    @Test
    void shouldRefuseWhatWasReplacedWhereTheCommandLineCannotBeRead() {
        assertThat(ProcessArguments.of(new String[] {"caf\u00e9", "caf\ufffd"}, folder.resolve("none")))
                .containsExactly("caf\u00e9", "caf\uffff");
    }
}
