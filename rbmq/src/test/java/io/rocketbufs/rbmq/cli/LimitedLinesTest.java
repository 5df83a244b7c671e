package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class LimitedLinesTest {
    private static final long SECOND_NS = 1_000_000_000;

    private final List<String> printed = new ArrayList<>();
    private long nowNs = Long.MAX_VALUE - SECOND_NS; // System.nanoTime() may overflow
    private final LimitedLines lines = new LimitedLines(printed::add, () -> nowNs);

    @Test
    void shouldPrintOneLineInASecondAndCountTheOthers() {
        lines.say("a");
        for (int i = 0; i < 1000; i++) {
            nowNs += SECOND_NS / 1000 - 1;
            lines.say("b" + i);
        }
        assertThat(printed).containsExactly("a");
        nowNs += 1000;
        lines.say("c");
        assertThat(printed).containsExactly("a", "c (1000 lines before this one were left out)");
        nowNs += SECOND_NS;
        lines.say("d");
        assertThat(printed).hasSize(3).endsWith("d");
    }

    @Test
    void shouldPrintHowManyLinesWereLeftOutAtTheEnd() {
        lines.say("a");
        lines.close();
        assertThat(printed).containsExactly("a");
        lines.say("b");
        lines.close();
        lines.close();
        assertThat(printed).containsExactly("a", "1 further lines were left out");
    }
}
