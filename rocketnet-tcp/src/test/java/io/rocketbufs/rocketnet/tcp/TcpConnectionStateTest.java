package io.rocketbufs.rocketnet.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class TcpConnectionStateTest {
    /** Returns the states that are reachable from a state by one or more transitions. */
    private static Set<TcpConnectionState> after(TcpConnectionState state) {
        Set<TcpConnectionState> reached = EnumSet.noneOf(TcpConnectionState.class);
        for (TcpConnectionState next : TcpConnectionState.values()) {
            if (state.mayBecome(next)) {
                reached.add(next);
                reached.addAll(after(next));
            }
        }
        return reached;
    }

    @ParameterizedTest
    @EnumSource
    void shouldNeverReturnToAnEarlierState(TcpConnectionState state) {
        assertThat(after(state)).doesNotContain(state);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CLOSED")
    void shouldBeClosableAtAnyTime(TcpConnectionState state) {
        assertThat(state.mayBecome(TcpConnectionState.CLOSED)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void shouldNeitherReadNorWriteAfterAFailureOrClose(TcpConnectionState state) {
        boolean over = state == TcpConnectionState.FAILED || state.isClosed();
        for (TcpConnectionState next : after(state)) {
            assertThat(over && (next.reads() || next.writes())).isFalse();
        }
        assertThat(over && (state.reads() || state.writes())).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void shouldLingerOnlyWhileFramesMayBeWritten(TcpConnectionState state) {
        assertThat(state.mayBecome(TcpConnectionState.LINGERING)).isEqualTo(state.writes());
    }
}
