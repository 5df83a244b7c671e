package io.rocketbufs.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.NoRouteToHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class ReasonTest {
    @Test
    void shouldNameTheReasonWithoutTheClassOfTheException() {
        assertThat(Reason.of(new NoSuchFileException("-"))).isEqualTo("no such file or directory");
        assertThat(Reason.of(new AccessDeniedException("/etc/ports.new"))).isEqualTo("permission denied");
        assertThat(Reason.of(new FileSystemException("/x", null, "Is a directory")))
                .isEqualTo("Is a directory");
        assertThat(Reason.of(new ClosedChannelException())).isEqualTo("the connection is closed");
        assertThat(Reason.of(new NoRouteToHostException())).isEqualTo("no route to host");
        assertThat(Reason.of(new IOException("Broken pipe"))).isEqualTo("Broken pipe");
        assertThat(Reason.of(new Exception())).isEqualTo("unknown failure");
    }

    @Test
    void shouldNotRepeatTheFileWhenTheExceptionHasNoReason() {
        assertThat(Reason.of(new DirectoryNotEmptyException("/x"))).isEqualTo("directory not empty");
    }

    @Test
    void shouldCallAFailureWithoutATextAnInputOrOutputError() {
        assertThat(Reason.of(new IOException())).isEqualTo("input/output error");
        assertThat(Reason.of(new FileSystemException("/x"))).isEqualTo("input/output error");
    }

    @Test
    void shouldNameTheCapabilityForAPrivilegedPortOnly() {
        assertThat(Reason.ofDeniedPort(1023))
                .isEqualTo("permission denied; ports below 1024 need CAP_NET_BIND_SERVICE");
        assertThat(Reason.ofDeniedPort(1024)).isEqualTo("permission denied");
    }

    @Test
    void shouldOmitTheSystemCallAndItsErrorNumber() {
        assertThat(Reason.of(new IOException("bind(..) failed with error(-13): Permission denied")))
                .isEqualTo("Permission denied");
    }
}
