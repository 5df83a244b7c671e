package io.rocketbufs.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ClientNameTest {
    @ParameterizedTest
    @CsvSource({
        "com.example.Feed --token secret, Feed",
        "com.example.Feed$Main secret, Feed$Main",
        "Feed, Feed",
        "example.feed/com.example.Feed secret, Feed",
        "/opt/feed/feed-1.2.jar secret, feed-1.2",
        "feed.jar, feed",
        "'', java",
        "' secret', java"
    })
    void shouldNameTheProgramButNotItsArguments(String command, String program) {
        assertThat(ClientName.program(command)).isEqualTo(program);
    }

    @Test
    void shouldNameThisProcess() throws Exception {
        assertThat(ClientName.of("feed"))
                .isEqualTo(System.getProperty("user.name") + "@"
                        + new String(new ProcessBuilder("uname", "-n")
                                        .start()
                                        .getInputStream()
                                        .readAllBytes())
                                .strip()
                        + "/feed[" + ProcessHandle.current().pid() + "]");
        assertThat(ClientName.ofProcess())
                .endsWith("[" + ProcessHandle.current().pid() + "]");
    }

    @Test
    void shouldLeaveOutAnUnknownHost() {
        assertThat(ClientName.of("ann", "", "feed", 7)).isEqualTo("ann/feed[7]");
    }

    @Test
    void shouldReplaceCharactersThatCouldForgeALogLine() {
        assertThat(ClientName.of("ann\n", "host", "a\u202eb", 7)).isEqualTo("ann\ufffd@host/a\ufffdb[7]");
    }

    @Test
    void shouldCutANameThatIsTooLongBeforeTheProcessId() {
        String name = ClientName.of("ann", "host", "a\ud83d\ude80".repeat(100), 12345);
        assertThat(name).startsWith("ann@host/a\ud83d\ude80").endsWith("\ud83d\ude80a[12345]");
        assertThat(name.getBytes(StandardCharsets.UTF_8).length)
                .isBetween(ClientName.MAX_LENGTH - 3, ClientName.MAX_LENGTH);
    }
}
