package io.rocketbufs.rbmq.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RoleProcessesTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 8, 9, 20, 1000})
    void shouldDistributeMembersEvenly(int members) {
        int[] shares = IntStream.range(0, RoleProcesses.count(members))
                .map(i -> RoleProcesses.share(members, i))
                .toArray();
        assertThat(shares.length).isBetween(1, 8);
        assertThat(IntStream.of(shares).sum()).isEqualTo(members);
        assertThat(IntStream.of(shares).max().getAsInt()
                        - IntStream.of(shares).min().getAsInt())
                .isLessThanOrEqualTo(1);
    }
}
